// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <map>
#include <string>
#include <vector>

#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/runs.hpp"
#include "tessera/group/program_run.hpp"
#include "tessera/group/program_stream.hpp"

namespace tessera::app {

/// Returns the estimate of the plans of each task: its steps, what bounds them and their time. `setting` has
/// the machine.
std::string estimate_program(const ProgramPlans& programs, const EstimateSetting& setting);

/// Returns a line about the ranks, messages and memory of a program that could run.
std::string check_program(const ProgramPlans& programs);

/// Returns a plan that describes a program on this rank in texts and reports. It is `whole`, the plan of the
/// undivided pipeline, without steps, and with the memory and the computed points of the tasks.
Plan described_plan(const Algorithm& pipeline, Plan whole, const group::Program& program,
                    const group::ProgramPlan& plan);

/// Returns lines that say which ranks compute which tasks, what they send each other, and what memory they
/// need: of all ranks if `rank` is -1, and otherwise the steps of this rank.
std::string explain_program(const ProgramPlans& programs, int rank);

/// Prints what the options ask for about a program of tasks that does not run, and `more` after it. Writes
/// the files that the options and the deck ask for. Collective.
void show_program(const RunSetup& setup, const ProgramPlans& programs, const std::string& more = {});

/// The measured times of tasks on groups of ranks, in a single run or in a series. Only rank 0 has them.
class TaskTimes {
 public:
  /// Gathers the times of a single run. Collective. `programs` must outlive this object.
  TaskTimes(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramInstance& instance);
  /// Gathers the times of a series.
  TaskTimes(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramPlan& plan,
            const group::StreamOutcome& outcome);

  /// The number of results of a series that were written.
  std::int64_t written() const { return std::ssize(written_); }
  /// The seconds from the beginning of a series to its last result.
  double seconds() const { return written_.empty() ? 0 : written_.back(); }

  /// Returns a line with the seconds of all tasks together, or of the period of a series, and those that were
  /// estimated.
  std::string text() const;
  /// Adds the section `program` and the table `tasks` to the report.
  void add(Report& report) const;
  /// Returns a chart of the tasks as they ran, as SVG; in a series, as three images ran on average.
  std::string chart() const;

 private:
  /// The bytes and seconds of what a rank kept, sent, read and wrote.
  struct RankCost {
    std::int64_t peak_bytes = 0, messages = 0, message_bytes = 0;
    double reading = 0, writing = 0;
  };

  /// Gathers the costs of all ranks.
  TaskTimes(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramPlan& plan,
            double reading, double writing);
  /// Lets the times of the tasks begin with the first one. The time in which ranks read does not belong to
  /// the tasks.
  void begin_with_first();
  /// Adds the section `program`, in which the names of what is for each image differ in a series.
  void add_program(Report& report) const;

  const ProgramPlans& programs_;
  std::vector<RankCost> ranks_;
  /// The schedule with the measured times.
  group::GroupSchedule schedule_;
  /// The seconds that each task waited before it began.
  std::map<int, double> waited_;
  /// The times at which results of a series were written, in ascending order.
  std::vector<double> written_;
};

}  // namespace tessera::app
