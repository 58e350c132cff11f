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

/// What a recorder is to do besides adding up times.
struct RecorderOptions {
  /// Wait for kernels before the clock is read: else a device's steps take the time to enqueue them.
  bool fence = false;
  /// Keep when every single step began and ended.
  bool events = false;
};

/// The time of the phases and steps of a run on one rank; the one clock behind the line at its end, reports
/// and traces. One thread records.
class StepRecorder {
 public:
  /// All calls of a step.
  struct Total {
    std::int64_t calls = 0;
    double seconds = 0;
  };
  /// One call of a step, or a phase: seconds since the first of the ranks began.
  struct Event {
    int node = 0;
    double begin = 0;
    double end = 0;
  };

  /// Collective: the clocks of all ranks are set when they meet here, where the last of `phases` ends.
  StepRecorder(MPI_Comm communicator, const Plan& plan, RecorderOptions options, RunPhases& phases);
  /// Adds a phase that came after the steps.
  void add(const RunPhases::Span& span);

  /// A step begins, and the one before it ends: a StepObserver.
  void begin(const PlanNode& node);
  /// The last one ends.
  void end();

  /// By node id; of inner nodes only their own time, without that of their children.
  const std::vector<Total>& totals() const { return totals_; }
  const std::vector<Event>& events() const { return events_; }
  /// All spans of a phase.
  const Total& total(Phase phase) const { return phases_[static_cast<std::size_t>(phase)]; }
  /// From where this rank began the run to where its last phase ended: phases, steps, and what is between
  /// them.
  double wall_seconds() const { return last_phase_ended_ - began_run_; }

  /// "start 0.3 s, ..., read 0.012 s, compute 0.003 s, ...": of each phase and each kind of step the time of
  /// the slowest rank; of steps that have ended by now, as another thread may ask while this one records.
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
  const Plan& plan_;
  RecorderOptions options_;
  /// When the first of the ranks began, as this rank's clock has it.
  Clock::time_point start_;
  double began_run_ = 0;
  double last_phase_ended_ = 0;
  std::array<Total, all_phases.size()> phases_ = {};
  /// A result that is complete before the run ends says what it took: the thread that writes it asks.
  mutable std::mutex mutex_;
  std::vector<Total> totals_;
  std::vector<Event> events_;
  int current_ = -1;
  double began_ = 0;
};

}  // namespace tessera::app
