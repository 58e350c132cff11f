// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

/// The name of a part of the work in a trace, and its kind.
struct StepName {
  std::string name;
  std::string kind;
};

/// The names of parts, by the numbers of their events.
using StepNames = std::map<int, StepName>;

/// Returns the names of the steps of a plan, each with `prefix` in front. Their numbers are their node ids
/// plus `first`.
StepNames step_names(const Algorithm& pipeline, const Plan& plan, int first = 0,
                     const std::string& prefix = {});

/// Returns the name of a part; an empty text if there is none with this number.
std::string name_in(const StepNames& names, int number);

/// Returns `names` and the names of the phases, which have negative numbers.
StepNames with_phases(StepNames names);

/// The work of a Recorder in addition to summing up times.
struct RecorderOptions {
  /// Whether it waits for kernels before it reads the clock at the end of a part. Otherwise the time of a
  /// part on a device is only that to launch its kernels.
  bool fence = false;
  /// Whether it keeps the beginning and the end of each call of a part and of each span of a phase.
  bool events = false;
};

/// Records the times of the phases of a run on one rank, and of the parts of its work: steps of a plan, turns
/// of an iteration, or graphs. Only one thread may record.
class Recorder {
 public:
  /// The number of calls and the total time of a part. For a phase, each span counts as a call.
  struct Total {
    std::int64_t calls = 0;
    double seconds = 0;
  };
  /// One call of a part or of a task of a graph, or one span of a phase, in seconds since the first rank
  /// began.
  struct Event {
    /// The number of the part or task, which for a step is the id of its node; node_of(phase) for a phase.
    int node = 0;
    double begin = 0;
    double end = 0;
    /// The number of the thread.
    int thread = 0;
    /// The number of the item or turn that the call belongs to; -1 if it belongs to none.
    std::int64_t item = -1;
  };

  /// Ends the phase of `phases` that is under way, and adds the spans of all phases. Collective: ranks agree
  /// on when the first of them began.
  Recorder(MPI_Comm communicator, RecorderOptions options, RunPhases& phases);
  /// Ends the phase of `phases` that is under way, and adds its span.
  void end(RunPhases& phases) {
    phases.end();
    add(phases.spans().back());
  }
  /// Adds a call of a task of a graph to the events, if they are kept.
  void add(const Event& event) {
    if (options_.events) events_.push_back(event);
  }

  /// Records that a part begins and that the previous part ends.
  void begin(int part, std::int64_t item = -1);
  /// Records that the part that has begun last ends.
  void end();

  /// The events of all phases and parts; empty if RecorderOptions::events is false.
  const std::vector<Event>& events() const { return events_; }
  /// The number and the total time of all spans of a phase.
  const Total& total(Phase phase) const { return phases_[static_cast<std::size_t>(phase)]; }
  /// The sums of a part, or of the phase with the number node_of(phase). Parts that have not begun cost
  /// nothing.
  Total total(int part) const {
    if (part < 0) return phases_[static_cast<std::size_t>(part + std::ssize(phases_))];
    return part < std::ssize(totals_) ? totals_[static_cast<std::size_t>(part)] : Total();
  }
  /// The seconds from the beginning of this rank to the end of its last phase.
  double wall_seconds() const { return last_phase_ended_ - began_run_; }
  /// Returns the seconds from the beginning of the first rank to `time`, by the clock of this rank.
  double seconds_at(RunPhases::Clock::time_point time) const {
    return std::chrono::duration<double>(time - start_).count();
  }

  /// Returns the time of each phase except `finish`, and of each kind of part that `names` has, such as
  /// "start 0.3 s, ..., read 0.012 s, ...": the longest over all ranks, of parts that have ended. Any thread
  /// may call it. Collective.
  std::string text(const StepNames& names) const;

 private:
  using Clock = RunPhases::Clock;

  double now() const { return seconds_at(Clock::now()); }
  void set_clock(const RunPhases& phases);
  void add(const RunPhases::Span& span);

  MPI_Comm communicator_;
  /// Protects the sums of the parts, because one thread may ask for them while another thread records.
  mutable std::mutex mutex_;
  std::vector<Total> totals_;
  RecorderOptions options_;
  /// The time at which the first rank began, by the clock of this rank.
  Clock::time_point start_;
  double began_run_ = 0;
  double last_phase_ended_ = 0;
  std::array<Total, all_phases.size()> phases_ = {};
  std::vector<Event> events_;
  int current_ = -1;
  std::int64_t current_item_ = -1;
  double began_ = 0;
};

/// The description of a loop in the records of a run.
struct RecordedLoop {
  /// The name of the loop.
  std::string name;
  /// The greatest number of turns.
  std::int64_t maximum = 1;
  /// Whether data end the loop, and not only the number of its turns.
  bool has_condition = false;
  /// The name of the residual. It is empty if the loop has no residual.
  std::string residual = {};
  /// Whether the residual is a floating-point number. Integers are counts, which may grow in loops that do
  /// what they are meant to do.
  bool residual_is_norm = false;
  /// The number of points that one turn updates.
  std::int64_t points = 0;
  /// Whether the turns are counted for another loop, which goes on with single turns (see
  /// LoopDeclaration::rounds_of).
  bool is_of_rounds = false;
};

/// Records the turns, times and residuals of the loops of a run, and prints their progress. A loop may run
/// several times. Rank 0 keeps the residuals of all turns; other ranks only count the turns.
class LoopRecorder {
 public:
  LoopRecorder(std::vector<RecordedLoop> loops, Progress& progress, int rank)
      : loops_(std::move(loops)), progress_(progress), keeps_(rank == 0), totals_(loops_.size()) {}
  /// Makes a recorder of the loops of `pipeline`.
  LoopRecorder(const Algorithm& pipeline, Progress& progress, int rank);

  /// Adds functions to `bindings` that record every turn of a run. This object must outlive the run.
  void listen(Bindings& bindings);

  /// Returns whether a loop is running. The steps of the plan are then repeated.
  bool is_inside() const { return depth_ > 0; }

  /// Returns a line about the first loop whose condition did not hold at the end of its last run, which says
  /// whether more turns may help, or the residual has grown. Returns an empty text if there is no such loop.
  std::string unfinished() const;

  const std::vector<RecordedLoop>& loops() const { return loops_; }
  Progress& progress() { return progress_; }

  /// Adds the turns of a loop in the checkpoint that this run restarts from, before its first new turn, with
  /// their residuals, which only rank 0 needs. Does nothing if the loop has no residual.
  void resume(int loop, std::int64_t turns, const std::vector<double>& residuals);
  /// Returns the residuals of the latest run of a loop, one for each turn so far, on rank 0.
  std::vector<double> residuals(int loop) const;
  /// Forgets the residuals, before the loops run again for another image.
  void forget_history();

  /// Returns the residuals as a table in CSV format, "loop,run,turn,residual". Runs and turns are counted
  /// from 1. Only rank 0 may call this function.
  std::string history_csv() const;
  /// Returns the residuals as lists of numbers for an HDF5 file, for each loop that has a residual and has
  /// run: those of all runs, `history/<loop>/residual`, and the turns of each, `history/<loop>/turns`.
  std::vector<io::NumberList> history_lists() const;

  /// Adds the table `loops` to the report. Adds nothing if the run has no loops.
  void add(Report& report) const;

 private:
  using Clock = std::chrono::steady_clock;
  /// The sums over all runs of a loop. An inner loop runs once in every turn of the outer loop.
  struct Total {
    std::int64_t runs = 0;
    std::int64_t turns = 0;
    /// The turns without those of the checkpoint that this run restarts from.
    std::int64_t own_turns = 0;
    double seconds = 0;
    Clock::time_point began = {};
    LoopProgress last = {};
    /// The smallest residual of the turns of the current run.
    double least_residual = 0;
    /// The residuals of all turns, and the number of turns of each run, if the loop has a residual.
    std::vector<double> residuals = {};
    std::vector<std::int64_t> turns_of_runs = {};
  };

  void before_turn(const LoopProgress& progress);
  void after_turn(const LoopProgress& progress);
  void after_loop(const LoopProgress& progress);
  void keep_residual(const LoopProgress& progress);
  const RecordedLoop& loop_of(const LoopProgress& progress) const {
    return loops_[static_cast<std::size_t>(progress.loop)];
  }
  Total& total_of(const LoopProgress& progress) { return totals_[static_cast<std::size_t>(progress.loop)]; }
  std::string residual_text(const LoopProgress& progress) const;

  std::vector<RecordedLoop> loops_;
  Progress& progress_;
  bool keeps_;
  /// The sums for each loop.
  std::vector<Total> totals_;
  int depth_ = 0;
};

}  // namespace tessera::app
