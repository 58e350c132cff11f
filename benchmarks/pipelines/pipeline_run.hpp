// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <memory>

#include "pipelines/pipeline_case.hpp"
#include "tessera/app/session.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace bench {

/// A case in memory, ready to run.
class PipelineRun {
 public:
  /// Collective. Throws InputError when the schedule does not fit.
  PipelineRun(tessera::app::Session& session, const PipelineCase& the_case,
              const tessera::Schedule& schedule);

  /// Everything between input and output. Collective.
  void run();

  /// The bytes that a rank holds, on the rank that holds the most.
  std::int64_t peak_bytes() const;
  /// The share of the time of all runs that passes in exchanges and global reductions, on the rank with the
  /// largest share.
  double mpi_share() const;

  /// Writes the whole output, packed, x fastest. Collective.
  void dump(const std::string& path);

 private:
  void watch(const tessera::PlanNode& node);

  tessera::app::Session& session_;
  const PipelineCase& case_;
  tessera::PlanInstance instance_;
  std::chrono::steady_clock::time_point last_;
  bool running_ = false;
  bool in_mpi_ = false;
  double total_ = 1e-9;
  double mpi_ = 0;
};

}  // namespace bench
