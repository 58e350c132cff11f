// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/group/program_run.hpp"

namespace tessera::app {

/// When the tasks of a program were computed in a run. Only rank 0 has the times.
class ProgramTimes {
 public:
  /// Gathers the times of all ranks. Collective. `programs` must outlive this object.
  ProgramTimes(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramInstance& instance);

  /// Returns a line with the seconds of all tasks together, and those that were estimated.
  std::string text() const;
  /// Adds the section `program` and the table `tasks` to the report.
  void add(Report& report) const;
  /// Returns a chart of the tasks as they ran, as SVG.
  std::string chart() const;

 private:
  /// What one rank did in one task.
  struct Entry {
    int rank = 0;
    group::StepTimes times;
  };
  /// What one rank keeps and sends between tasks.
  struct RankCost {
    std::int64_t peak_bytes = 0, messages = 0, message_bytes = 0;
  };

  /// Returns the schedule with the measured times.
  group::GroupSchedule measured() const;

  const ProgramPlans& programs_;
  std::vector<Entry> entries_;
  std::vector<RankCost> ranks_;
};

/// Returns lines that say which ranks compute which tasks, what they send each other, and what memory they
/// need: of all ranks if `rank` is -1, and otherwise the steps of this rank.
std::string explain_program(const ProgramPlans& programs, int rank);

}  // namespace tessera::app
