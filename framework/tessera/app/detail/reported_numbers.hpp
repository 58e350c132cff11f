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

/// The outputs of one element that a run prints and reports. Rank 0 knows them.
class ReportedNumbers {
 public:
  /// Those of `names` that the pipeline has. Throws InternalError for one that is no output of one element.
  ReportedNumbers(const Algorithm& pipeline, const std::vector<std::string>& names);

  /// From here on a run hands them over. This object must outlive it.
  void listen(Bindings& bindings);

  /// What the application lacks in them, on every rank. Collective.
  std::string judged(MPI_Comm communicator, const PipelineApplication& application,
                     const deck::Deck& deck) const;

  bool empty() const { return numbers_.empty(); }
  /// "psnr 31.2, ssim 0.93".
  std::string text() const;
  /// Adds the section `numbers`; nothing when there are none.
  void add(Report& report) const;

 private:
  struct Number final : BlockSink {
    explicit Number(std::string given) : name(std::move(given)) {}
    void write(const HostBlock& block) override;
    std::string name;
    double value = 0;
  };

  /// A list: their addresses are bound.
  std::list<Number> numbers_;
};

}  // namespace tessera::app
