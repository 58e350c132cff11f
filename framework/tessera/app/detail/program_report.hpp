// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <map>
#include <string>
#include <vector>

#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/group/program_run.hpp"

namespace tessera::app {

/// Prints what the options ask for about a program of tasks that does not run, and `more` after it. Writes
/// the files that the options and the deck ask for. Collective.
void show_program(const RunSetup& setup, const ProgramPlans& programs, const std::string& more = {});

/// Returns the times of a single run as those of a series of one image.
group::StreamOutcome outcome_of(const std::vector<group::StepTimes>& steps);

/// The measured times of tasks on groups of ranks, in a single run or in a series. Only rank 0 has them.
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
  /// Adds the section `program`, in which the names of what is for each image differ in a series, and the
  /// table `tasks` to the report.
  void add(Report& report) const;
  /// Returns a chart of the tasks as they ran, as SVG; in a series, as three images ran on average.
  std::string chart() const;

 private:
  /// The bytes and seconds of what a rank kept, sent, read and wrote; or the most and the sums of all ranks.
  struct RankCost {
    std::int64_t peak_bytes = 0, messages = 0, message_bytes = 0;
    double reading = 0, writing = 0;
  };

  /// Gives a task the times of its ranks, from the first begin to the last end; in a series, of their means.
  void set_times(group::ScheduledTask& task, const std::vector<group::StreamTimes>& times);

  const ProgramPlans& programs_;
  bool is_known_ = false;
  RankCost all_;
  /// The schedule with the measured times.
  group::GroupSchedule schedule_;
  /// The seconds that each task waited before it began.
  std::map<int, double> waited_;
  /// The times at which results of a series were written, in ascending order.
  std::vector<double> written_;
};

}  // namespace tessera::app
