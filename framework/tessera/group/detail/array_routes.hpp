// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/group/program_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera::group {

/// The ranks that compute the points of an array, and the ranks that read them. Places have the meaning of
/// RankStep::place.
struct ArrayRoutes {
  /// A task, or the stop, that reads the array.
  struct Reader {
    /// The place of the task.
    int place = 0;
    /// The points that each rank of the program reads.
    IdVector<int, Box> read;
  };
  /// The points that one rank gets from another one, or from itself.
  struct Transfer {
    /// The boxes. None of them lies in another one.
    std::vector<Box> boxes;
    /// The number of points in all boxes.
    std::int64_t points = 0;
    /// The places of the first and of the last task that reads the points.
    int first_place = 0, last_place = 0;
  };

  /// The place of the task that computes the array.
  int place = 0;
  /// True if each rank gets points from itself only, as it does of inputs of a stream.
  bool is_local = false;
  /// The points that each rank of the program computes.
  IdVector<int, Box> owned;
  /// The readers, in the order of their places.
  std::vector<Reader> readers;

  /// Returns the points that the rank `to` gets from the rank `from`.
  Transfer transfer(int from, int to) const;
};

/// Returns the points of an array that a rank reads at the start, or writes at the stop, of a program: a
/// block of rows. It may be empty.
Box rows_of_rank(const Box& points, int rank_count, int rank);

/// Returns the routes of all arrays of a program. `scheduled` has the pipelines of the tasks in the order of
/// `tasks`. In a stream, each rank reads the points of the inputs of the program that its own tasks read, and
/// writes the points of the outputs that they compute.
IdVector<int, ArrayRoutes> array_routes(const Program& program, const std::vector<ScheduledTask>& tasks,
                                        const std::vector<std::unique_ptr<ScheduledPipeline>>& scheduled,
                                        int rank_count, bool is_stream);

}  // namespace tessera::group
