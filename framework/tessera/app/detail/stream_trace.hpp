// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <optional>

#include "tessera/graph/report.hpp"
#include "tessera/group/program.hpp"
#include "tessera/group/step_part.hpp"

namespace tessera::app {

/// Records when a rank works on which item of a series on groups of ranks, for a trace.
class StreamTrace {
 public:
  /// Names the tasks of the trace, which are the same on all ranks: of each task of the program one for its
  /// computation, and one for each other kind of its parts.
  explicit StreamTrace(const group::Program& program);

  /// Records that a part begins, and that the last one has ended. Times are since the first call. The nodes
  /// of a plan belong together.
  void begin(const group::StepPart& part);
  /// Records that the last part has ended, and returns the calls of this rank as those of a graph.
  const graph::Report& end();

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t now() const;
  int number_of(const group::StepPart& part) const;
  void end_call();

  int task_count_;
  graph::Report report_;
  std::optional<Clock::time_point> began_;
  std::optional<graph::TracedCall> current_;
};

}  // namespace tessera::app
