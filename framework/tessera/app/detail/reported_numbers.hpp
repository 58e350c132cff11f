// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <list>
#include <string>
#include <vector>

#include "tessera/app/detail/report.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

/// The outputs of one element that a run prints and reports. Only rank 0 has their values.
class ReportedNumbers {
 public:
  /// Finds those of `names` that the pipeline has. Throws InternalError when one of them is not an output of
  /// one element.
  ReportedNumbers(const Algorithm& pipeline, const std::vector<std::string>& names);

  /// Adds the sinks that take the values. This object must outlive the run.
  void listen(Bindings& bindings);

  /// Returns the application's verdict about the numbers on all ranks; it is empty when nothing is missed, or
  /// when the application gives no verdicts. Collective.
  std::string judged(MPI_Comm communicator, const PipelineApplication& application,
                     const deck::Deck& deck) const;

  bool empty() const { return numbers_.empty(); }
  /// Returns the numbers as text, such as "psnr 31.2, ssim 0.93".
  std::string text() const;
  /// Adds the section `numbers`, or nothing when there are no numbers.
  void add(Report& report) const;

 private:
  struct Number final : BlockSink {
    explicit Number(std::string given) : name(std::move(given)) {}
    void write(const HostBlock& block) override;
    std::string name;
    double value = 0;
  };

  /// The numbers, in a list because bindings hold their addresses.
  std::list<Number> numbers_;
};

}  // namespace tessera::app
