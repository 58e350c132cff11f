// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/trace.hpp"
#include "tessera/app/detail/watchdog.hpp"
#include "tessera/group/step_part.hpp"

namespace tessera::app {

/// The parts of the steps of a program, with numbers that are the same on all ranks, for recorders and
/// watchdogs. Each task has a number, too, for the time from its first part to its last one.
class ProgramParts {
 public:
  /// Numbers the parts from `first` on. Collective. `mine` is the plan of this rank. The arguments must
  /// outlive this object.
  ProgramParts(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramPlan& mine,
               int first = 0);

  /// Returns the number of a part of a step of this rank.
  int number_of(const group::StepPart& part) const;
  /// The number of numbers.
  int count() const { return firsts_.back() - firsts_.front(); }
  /// The number of items that a rank may be ahead of others.
  int most_items() const { return mine_.most_items; }
  /// Returns a text about a part of a step of this rank, such as "laplace: compute lines"; an empty text if
  /// there is no such part.
  std::string text_of(int number) const;
  /// Returns a trace of the parts of all ranks (see app::trace_text). An event for the whole task encloses
  /// those of its parts, except the wait before it.
  std::string trace_text(const std::vector<std::vector<StepRecorder::Event>>& events_by_rank) const;

 private:
  /// The place of a task, of the start or of the stop in `firsts_`.
  std::size_t place_of(int task) const;
  void add_names(StepNames& names, const group::ProgramPlan& plan) const;
  /// Returns the names of the parts on all ranks. Makes plans of other ranks.
  StepNames names() const;
  std::vector<StepRecorder::Event> with_tasks(const std::vector<StepRecorder::Event>& events) const;

  const ProgramPlans& programs_;
  const group::ProgramPlan& mine_;
  /// The first numbers of the tasks, and then those of the start, of the stop and of what follows.
  std::vector<int> firsts_;
};

/// Ends a run of a program in which a rank stands still: if a part of a step takes longer than the deck
/// allows. A rank may wait for other ranks as long as all parts of all tasks may take together.
class PartsWatchdog {
 public:
  /// Starts to watch, if the deck asks for it. The arguments must outlive this object.
  PartsWatchdog(const RunSetup& setup, const ProgramParts& parts);

  /// Whether the deck asks for a watchdog.
  bool watches() const { return seconds_ > 0; }
  /// Records that a part begins, and that the last one has ended.
  void begin(const group::StepPart& part) {
    watchdog_.begin(parts_.number_of(part), part.kind == group::StepPart::Kind::wait ? steps_of_wait_ : 1);
  }

 private:
  const ProgramParts& parts_;
  double seconds_;
  int steps_of_wait_;
  Watchdog watchdog_;
};

}  // namespace tessera::app
