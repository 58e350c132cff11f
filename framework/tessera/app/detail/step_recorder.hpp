// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tessera/app/detail/run_phases.hpp"
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera::app {

/// The work of a StepRecorder in addition to summing up times.
struct RecorderOptions {
  /// Whether the recorder waits for kernels to end before it reads the clock at the end of a step. If it
  /// does not wait, the time of a step on a device is only the time to launch its kernels.
  bool fence = false;
  /// Whether the recorder keeps the beginning and the end of each call of a step and of each span of a
  /// phase.
  bool events = false;
  /// The number of further steps, which are no nodes of the plan. Their numbers follow those of the nodes.
  int further_steps = 0;
};

/// Records the times of the phases and steps of a run on one rank. The times are used for the line that a
/// run prints at its end, for reports and for traces. Only one thread may record.
class StepRecorder {
 public:
  /// The number of calls and the total time of a step. For a phase, each span counts as a call.
  struct Total {
    std::int64_t calls = 0;
    double seconds = 0;
  };
  /// The beginning and the end of one call of a step or of one span of a phase. Both times are seconds since
  /// the first rank began. `node` is the id of the step, or node_of(phase) for a phase.
  struct Event {
    int node = 0;
    double begin = 0;
    double end = 0;
  };

  /// Ends the phase of `phases` that is under way, and adds the spans of all phases so far. All ranks wait
  /// for each other, so that their times can be given relative to the beginning of the first rank.
  /// Collective.
  StepRecorder(MPI_Comm communicator, const Plan& plan, RecorderOptions options, RunPhases& phases);
  /// Adds one span of a phase, such as the phase after the steps.
  void add(const RunPhases::Span& span);

  /// Adds the steps of another plan, such as that for images of another size, and returns the number by which
  /// they follow their node ids. `plan` must outlive this object.
  int follow(const Plan& plan);

  /// Records that the step `node` begins and that the previous step ends. A StepObserver can call this
  /// function.
  void begin(const PlanNode& node) { begin(node.id); }
  /// Records that a step begins which is a node of the plan, or one of the further steps.
  void begin(int step);
  /// Records that the step that has begun last ends.
  void end();

  /// The sums by node id. The time of an inner node of the plan does not include the times of its children.
  const std::vector<Total>& totals() const { return totals_; }
  /// The events of all phases and steps; empty if RecorderOptions::events is false.
  const std::vector<Event>& events() const { return events_; }
  /// The number and the total time of all spans of a phase.
  const Total& total(Phase phase) const { return phases_[static_cast<std::size_t>(phase)]; }
  /// The seconds from the time at which this rank began the run to the end of its last phase. They include
  /// all phases, all steps and the time between phases and steps.
  double wall_seconds() const { return last_phase_ended_ - began_run_; }

  /// Returns the time of each phase except `finish`, and of each kind of step, such as "start 0.3 s, ...,
  /// read 0.012 s, compute 0.003 s, ...". Each time is the longest over all ranks. Only steps that have
  /// ended before this call count. A thread other than the recording thread may call this function.
  /// Collective.
  std::string text() const;

 private:
  using Clock = std::chrono::steady_clock;

  double now() const { return seconds_at(Clock::now()); }
  double seconds_at(Clock::time_point time) const {
    return std::chrono::duration<double>(time - start_).count();
  }
  void set_clock(const RunPhases& phases);

  MPI_Comm communicator_;
  /// The plans, and the numbers by which their steps follow their node ids.
  std::vector<std::pair<const Plan*, int>> plans_;
  RecorderOptions options_;
  /// The time at which the first rank began, by the clock of this rank.
  Clock::time_point start_;
  double began_run_ = 0;
  double last_phase_ended_ = 0;
  std::array<Total, all_phases.size()> phases_ = {};
  /// Protects the sums of the steps, because one thread may call text() for the attributes of a file while
  /// another thread records.
  mutable std::mutex mutex_;
  std::vector<Total> totals_;
  std::vector<Event> events_;
  int current_ = -1;
  double began_ = 0;
};

}  // namespace tessera::app
