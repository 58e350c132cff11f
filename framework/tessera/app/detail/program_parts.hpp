// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/group/program_plan.hpp"

namespace tessera::app {

/// The parts of the steps of a program, with numbers that are the same on all ranks, for recorders and
/// watchdogs. Each task has a number, too, for the time from its first part to its last one.
class ProgramParts {
 public:
  /// Numbers the parts. Collective. `mine` is the plan of this rank. The arguments must outlive this object.
  ProgramParts(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramPlan& mine);

  /// Returns the number of a part of a step of this rank.
  int number_of(const group::StepPart& part) const;
  /// Returns the number of steps that all tasks take together for as many items as a rank may be ahead of
  /// others: the steps of their plans, and those to read, send and write. A rank that waits does so for no
  /// more of them. Makes plans of other ranks.
  std::int64_t steps_to_wait_for() const;
  /// Returns a text about a part of a step of this rank, such as "laplace: compute lines"; an empty text if
  /// there is no such part.
  std::string text_of(int number) const;
  /// Returns the names of the parts on all ranks, which are the same on every rank. Makes plans of other
  /// ranks.
  StepNames names() const;
  /// Returns a trace of the parts of all ranks (see app::trace_text). An event for the whole task encloses
  /// those of its parts, except the wait before it. Makes plans of other ranks.
  std::string trace_text(const std::vector<std::vector<Recorder::Event>>& events_by_rank) const;

 private:
  /// Returns the number of a whole task, of the start or of the stop.
  int first_of(int task) const;
  void add_names(StepNames& names, const group::ProgramPlan& plan) const;

  const ProgramPlans& programs_;
  const group::ProgramPlan& mine_;
  /// The number of numbers that each task has.
  int stride_ = 0;
};

/// Ends a run of a program in which a rank stands still: if a part of a step takes longer than the deck
/// allows, or if a rank waits, and no rank begins any part for so long. A rank that waits does not see the
/// ranks of other machine nodes, and therefore may wait as long as all steps of all tasks may take together.
class PartsWatchdog {
 public:
  /// Starts to watch, if the deck asks for it. Prints how long a rank may wait, if that is longer than the
  /// deck says. The arguments must outlive this object. Collective, as is the destructor.
  PartsWatchdog(const RunSetup& setup, const ProgramParts& parts, Progress& progress);

  /// Whether the deck asks for a watchdog.
  bool watches() const { return watchdog_.has_value(); }
  /// Records that a part begins, and that the last one has ended.
  void begin(const group::StepPart& part) {
    if (!watches()) return;
    begun_->add();
    if (part.kind == group::StepPart::Kind::wait)
      watchdog_->begin_to_wait(parts_.number_of(part));
    else
      watchdog_->begin(parts_.number_of(part));
  }

 private:
  const ProgramParts& parts_;
  std::optional<NodeCounts> begun_;
  std::optional<Watchdog> watchdog_;
};

}  // namespace tessera::app
