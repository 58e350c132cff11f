// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/group/program_run.hpp"

namespace tessera::app {

/// Prints what the options ask for about a program of tasks that does not run, and `more` after it. Writes
/// the files that the options and the deck ask for. Collective.
void show_program(const RunSetup& setup, const ProgramPlans& programs, const std::string& more = {});

/// The measured times of tasks on groups of ranks, in a single run or in a series. All ranks have them, but
/// only rank 0 adds them to a report and draws a chart.
class TaskTimes {
 public:
  /// Gathers the times. Collective. `programs` must outlive this object.
  TaskTimes(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramPlan& plan,
            const group::StreamOutcome& outcome);

  /// The number of results of a series that were written.
  std::int64_t written() const { return std::ssize(written_); }
  /// The seconds from the beginning of a series to its last result.
  double seconds() const { return written_.empty() ? 0 : written_.back(); }

  /// Returns a line with the seconds of all tasks together, or of the period of a series, and those that were
  /// estimated.
  std::string text() const;
  /// Adds the section `program` and the table `tasks` to the report. In a series, the numbers are those for
  /// each image, and have other names.
  void add(Report& report) const;
  /// Returns a chart of the tasks as they ran, as SVG; in a series, as three images ran on average.
  std::string chart() const;

 private:
  /// The bytes that a rank kept and sent, and the seconds that it took to read and write; or the greatest
  /// values and the sums of all ranks.
  struct RankCost {
    std::int64_t peak_bytes = 0, messages = 0, message_bytes = 0;
    double reading = 0, writing = 0;
  };

  /// Gives a task the times of its ranks, from the first begin to the last end; in a series, of their means.
  void set_times(group::ScheduledTask& task, const std::vector<group::StreamTimes>& times);

  const ProgramPlans& programs_;
  bool is_first_rank_;
  RankCost all_;
  /// The schedule with the measured times.
  group::GroupSchedule schedule_;
  /// The seconds that each task waited before it began.
  std::map<group::TaskId, double> waited_;
  /// The times at which results of a series were written, in ascending order.
  std::vector<double> written_;
};

/// The parts of the steps of a program, with numbers that are the same on all ranks, for recorders and
/// watchdogs. Each task has a number, too, for the time from its first part to its last one.
class ProgramParts {
 public:
  /// Numbers the parts. Collective. `mine` is the plan of this rank. `programs` must outlive this object.
  ProgramParts(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramPlan& mine);

  /// Returns the number of a part of a step of this rank.
  int number_of(const group::StepPart& part) const;
  /// Returns the number of steps that all tasks take together for as many items as a rank may be ahead of
  /// others: the steps of their plans, and those to read, send and write. A rank never waits for more steps
  /// than these. Makes plans of other ranks.
  std::int64_t steps_to_wait_for() const;
  /// Returns the names of the parts of this rank, such as "laplace: compute lines".
  const StepNames& own_names() const { return own_names_; }
  /// Returns the names of the parts on all ranks, which are the same on every rank. Makes plans of other
  /// ranks.
  StepNames names() const;
  /// Returns the events of a rank for its trace. An event for the whole task encloses those of its parts,
  /// except the wait before it.
  std::vector<Recorder::Event> with_tasks(const std::vector<Recorder::Event>& events) const;

 private:
  /// Returns the number of a whole task, of the start or of the stop.
  int first_of(group::TaskId task) const;
  void add_names(StepNames& names, const group::ProgramPlan& plan) const;

  const ProgramPlans& programs_;
  int most_items_;
  /// How many numbers of parts each task has.
  int stride_ = 0;
  StepNames own_names_;
};

}  // namespace tessera::app
