// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/group/program_stream.hpp"

namespace tessera::app {

/// The times of a series that was computed by tasks on groups of ranks. Only rank 0 has them.
class StreamTimesOfRanks {
 public:
  /// Gathers the times of all ranks. Collective. `programs` must outlive this object.
  StreamTimesOfRanks(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramPlan& plan,
                     const group::StreamOutcome& outcome);

  /// The number of results that were written.
  std::int64_t written() const { return std::ssize(written_); }
  /// The seconds from the beginning to the last result.
  double seconds() const { return written_.empty() ? 0 : written_.back(); }
  /// The results that were written in a second; 0 if there are none.
  double per_second() const { return written_.empty() ? 0 : static_cast<double>(written()) / seconds(); }
  /// Returns a line with the period that was measured, and the one that was estimated.
  std::string text() const;
  /// Adds the section `program` and the table `tasks` to a report.
  void add(Report& report) const;
  /// Returns a chart of the tasks of three images, as they ran on average, as SVG.
  std::string chart() const;

 private:
  /// The bytes and seconds of what a rank kept, sent, read and wrote.
  struct RankCost {
    std::int64_t peak_bytes = 0, messages = 0, message_bytes = 0;
    double reading = 0, writing = 0;
  };

  /// Returns the seconds between two results.
  double period() const;
  /// Returns the schedule with the measured times.
  group::GroupSchedule measured() const;
  /// Returns the sums over the ranks of a task.
  group::StreamTimes sum(int task) const;

  const ProgramPlans& programs_;
  /// The times of the tasks of all ranks.
  std::vector<group::StreamTimes> tasks_;
  std::vector<RankCost> ranks_;
  /// The times at which results were written, in ascending order.
  std::vector<double> written_;
};

}  // namespace tessera::app
