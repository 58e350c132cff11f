// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "tessera/app/detail/run_phases.hpp"
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera::app {

/// The work of a recorder besides adding up times.
struct RecorderOptions {
  /// Whether it waits for kernels before it reads the clock. Without that, steps on a device last as long as
  /// their kernels take to be enqueued.
  bool fence = false;
  /// Whether it keeps the times at which each call of a step began and ended.
  bool events = false;
};

/// Records the times of the phases and steps of a run on one rank, from which the line at its end, reports
/// and traces are made. Only one thread may record.
class StepRecorder {
 public:
  /// The sum over all calls of a step, or over all spans of a phase.
  struct Total {
    std::int64_t calls = 0;
    double seconds = 0;
  };
  /// One call of a step, or one span of a phase, in seconds since the first of the ranks began.
  struct Event {
    int node = 0;
    double begin = 0;
    double end = 0;
  };

  /// Ends the last of `phases`, and sets the clocks of all ranks when they meet here. Collective.
  StepRecorder(MPI_Comm communicator, const Plan& plan, RecorderOptions options, RunPhases& phases);
  /// Adds a phase that came after the steps.
  void add(const RunPhases::Span& span);

  /// Records that a step begins and that the one before it ends. It can serve as a StepObserver.
  void begin(const PlanNode& node);
  /// Records that the last step ends.
  void end();

  /// The sums by node id. Those of inner nodes are their own times, without those of their children.
  const std::vector<Total>& totals() const { return totals_; }
  const std::vector<Event>& events() const { return events_; }
  /// The sum over all spans of a phase.
  const Total& total(Phase phase) const { return phases_[static_cast<std::size_t>(phase)]; }
  /// The seconds from the time at which this rank began the run to the end of its last phase. They include
  /// phases, steps and the time between them.
  double wall_seconds() const { return last_phase_ended_ - began_run_; }

  /// Returns the time of each phase and each kind of step on the slowest rank, such as "start 0.3 s, ...,
  /// read 0.012 s, compute 0.003 s, ...". Only steps that have ended by now count. Another thread than the
  /// one that records may call it. Collective.
  std::string text() const;

 private:
  using Clock = std::chrono::steady_clock;

  double now() const { return seconds_at(Clock::now()); }
  double seconds_at(Clock::time_point time) const {
    return std::chrono::duration<double>(time - start_).count();
  }
  void set_clock(const RunPhases& phases);

  MPI_Comm communicator_;
  const Plan& plan_;
  RecorderOptions options_;
  /// The time at which the first of the ranks began, by the clock of this rank.
  Clock::time_point start_;
  double began_run_ = 0;
  double last_phase_ended_ = 0;
  std::array<Total, all_phases.size()> phases_ = {};
  /// Protects the sums: the thread that writes a file's attributes calls text() while another one records.
  mutable std::mutex mutex_;
  std::vector<Total> totals_;
  std::vector<Event> events_;
  int current_ = -1;
  double began_ = 0;
};

}  // namespace tessera::app
