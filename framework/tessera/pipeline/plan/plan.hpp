// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// A box of an array in the rank's memory. Buffers that are never in use at the same time may share memory.
struct Buffer {
  /// The id of the array.
  int array = 0;
  /// The points that it holds.
  Box box;
  /// The first point of each row that the rank computes, which is aligned to 64 bytes (see padded_layout).
  std::int64_t aligned_x = 0;
  /// The place where the buffer begins, in bytes from the start of the rank's memory; a multiple of 64.
  std::int64_t offset = 0;
  /// Its size in bytes, padding included.
  std::int64_t bytes = 0;
};

/// The part of one rank in one array, which is an input or the output of a stage.
struct ArrayRegions {
  /// The placement of the stage when the plan runs: on devices `tile` becomes `rank` where no fusable group
  /// computes the tiles.
  Placement placement = Placement::distributed;
  /// The processor grid over which the array is distributed.
  ProcessorGrid grid;
  /// The way in which the grid cuts the dimensions into blocks.
  Slicing slicing = Slicing::ceil;
  /// All points that any rank may compute or read.
  Box domain;
  /// The box whose slices the ranks own; points of the domain outside it belong to the edge blocks.
  Box nominal;
  /// The points of the domain that this rank owns. Rank 0 owns all of a value or of a global reduction's
  /// result.
  Box owned;
  /// The points that this rank's consumers read, and the edge points that the boundary condition copies from.
  /// It may reach beyond the domain.
  Box required;
  /// The part of `required` in the domain.
  Box required_within_domain;
  /// The hull of the points of the array that this rank computes; of an input it is what the rank reads from
  /// its source, of a global reduction the points that the rank contributes.
  Box computed;
  /// The number of the buffer in which the array is computed or read from its source; -1: no buffer holds it.
  int written_buffer = -1;
  /// The number of the buffer in which its consumers find it: `written_buffer` itself, unless one buffer for
  /// both would be larger than two. -1: no buffer holds it.
  int read_buffer = -1;
  /// The number of points that this rank computes, those of overlapping tiles counted each time.
  std::int64_t computed_points = 0;
  /// The number of these points that are computed beyond once each on the rank that owns it.
  std::int64_t redundant_points = 0;
};

/// The resources of the machine that one rank may use.
struct Target {
  /// The number of threads that compute, each with scratch of its own.
  int threads = 1;
  /// Whether kernels run on a device, where only fusable groups compute tiles in scratch. The default is what
  /// this build runs on.
  bool device = !runs_on_host;
  /// The levels of the machine that grids follow, outermost first (see GridTarget); empty: one level.
  std::vector<int> levels = {};
  /// The bytes that a rank may use; 0: without limit.
  std::int64_t memory_bytes = 0;
  /// Devices: the bytes of scratch memory of a team.
  std::int64_t team_scratch_bytes = std::int64_t{48} << 10;
  /// Hosts: the bytes of a rank's part of the last level of cache. Results larger than half of it, or than a
  /// quarter for stages that transpose, may be written past the caches. 0: no result is.
  std::int64_t cache_bytes = 0;
};

/// Everything that one rank will do, as plain data. It is a pure function of pipeline, schedule, target, rank
/// count and rank, made without communication and without touching a point.
struct Plan {
  /// The rank that the plan is for.
  int rank = 0;
  /// The number of ranks.
  int rank_count = 1;
  /// The resources that the plan was made for.
  Target target;
  /// The regions of all arrays, by id.
  std::vector<ArrayRegions> stages;
  /// The buffers, which the nodes and regions name by their number here.
  std::vector<Buffer> buffers;
  /// The steps, as a tree.
  PlanNode root;
  /// The bytes of all buffers together, which may share memory.
  std::int64_t array_bytes = 0;
  /// The bytes of the memory for messages.
  std::int64_t message_bytes = 0;
  /// The bytes of the scratch of all threads; on devices those of the tables of tiles that kernels of groups
  /// read.
  std::int64_t scratch_bytes = 0;
  /// The bytes of the partial values of global reductions.
  std::int64_t partial_bytes = 0;

  /// The bytes of memory that the rank needs.
  std::int64_t peak_bytes() const { return array_bytes + message_bytes + scratch_bytes + partial_bytes; }
};

/// Returns a plan that runs the steps of `plan`, which is for a single item such as a frame, for every item
/// of a stream, until Bindings::next_item returns false. Nothing is planned, allocated or prepared between
/// items.
Plan plan_of_stream(Plan plan);

/// Returns the band that the plan is for, which is part of `plan`; null when it is for the whole arrays.
const Band* band_of(const Plan& plan);

/// Returns the bytes that a rank needs while one band is computed and, in other memory, the next band is read
/// or the previous one is written. For a plan without bands these are its peak_bytes().
std::int64_t peak_bytes_with_next_band(const Plan& plan);

/// Returns the first Sequence of this name in the plan. Every plan of make_plan has "read", "compute" and
/// "write". Throws InternalError when there is none.
const plan::Sequence& phase(const Plan& plan, std::string_view name);

}  // namespace tessera
