// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <list>
#include <string>
#include <vector>

#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

/// Adds the costs of a run to the report of rank 0: the tables `time`, `steps`, with the phases, and
/// `stages`, and the section `totals`. Every rank passes its own plan and recorder. Collective.
void add_steps(Report& report, MPI_Comm communicator, const Algorithm& pipeline, const Plan& plan,
               const Recorder& recorder);

/// Adds the table `steps` to the report of rank 0, with phases and `parts` of the work, and the time of the
/// run to the section `totals`. Every rank passes its own recorder, and the same parts. Parts that no rank
/// has begun have no row. Collective.
void add_parts(Report& report, MPI_Comm communicator, const StepNames& parts, const Recorder& recorder);

/// The outputs of one element that a run prints and reports as numbers. Only rank 0 has their values.
class ReportedNumbers {
 public:
  /// Selects stages by their names. Throws InternalError if one is not an output of one element.
  ReportedNumbers(const Algorithm& pipeline, const std::vector<std::string>& names);

  /// Adds sinks to `bindings`, in front of those that are there. This object must outlive the run.
  void listen(Bindings& bindings);

  /// Returns the exit status of a run with these numbers. If they do not meet the demands of the deck, prints
  /// which ones. Collective.
  ExitStatus judged(const Session& session, const PipelineApplication& application,
                    const deck::Deck& deck) const;

  bool empty() const { return numbers_.empty(); }
  /// Returns the numbers as text, such as "psnr 31.2, ssim 0.93".
  std::string text() const;
  /// Adds the section `numbers` to the report if there are numbers.
  void add(Report& report) const;

 private:
  struct Number final : BlockSink {
    explicit Number(std::string given) : name(std::move(given)) {}
    void write(const HostBlock& block) override;
    std::string name;
    double value = 0;
    /// Another sink for the number, such as that of an HDF5 file; null if there is none.
    BlockSink* next = nullptr;
  };

  /// The numbers. They are in a list so that their addresses, which bindings hold, do not change.
  std::list<Number> numbers_;
};

}  // namespace tessera::app
