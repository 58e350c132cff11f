// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The number of a buffer in a plan.
enum class BufferId : int {};

/// The number of no buffer.
inline constexpr BufferId no_buffer{-1};

/// A box of an array in the memory of a rank. Buffers that are never in use at the same time may share
/// memory.
struct Buffer {
  /// The id of the array.
  ArrayId array = {};
  /// The points that the buffer holds.
  Box box;
  /// In each row, the point with this x coordinate is aligned to 64 bytes in memory (see padded_layout).
  std::int64_t aligned_x = 0;
  /// The offset of the buffer from the start of the rank's memory, in bytes; a multiple of 64.
  std::int64_t offset = 0;
  /// The size of the buffer in bytes, padding included.
  std::int64_t bytes = 0;
  /// The id of the first node of the plan that uses the buffer.
  int first_node = 0;
  /// The id of the last node of the plan that uses the buffer. No other buffer uses its memory from the first
  /// of these nodes to the last. It is less than `first_node` if no node uses the buffer.
  int last_node = -1;
};

/// The points of one array that one rank owns, requires and computes, and the place where it keeps them. The
/// array is an input or is computed by a stage.
struct ArrayRegions {
  /// The placement of the stage in this plan. It may differ from the placement in the schedule: on a
  /// device, a `tile` stage that no fusable group can compute is computed with the placement `rank`.
  Placement placement = Placement::distributed;
  /// The processor grid over which the array is distributed.
  ProcessorGrid grid;
  /// How the grid cuts the dimensions into blocks.
  Slicing slicing = Slicing::ceil;
  /// All points of the array that any rank may compute or read.
  Box domain;
  /// The box that is cut into slices, which give the blocks of the ranks. Points of the domain outside this
  /// box belong to the nearest block (see BlockDistribution).
  Box nominal;
  /// The points of the domain that this rank owns. Rank 0 owns all points of a value or of the result of a
  /// global reduction.
  Box owned;
  /// The hull of three sets of points: the points that the stages of this rank read; the points whose values
  /// boundary conditions take for them; and, for an output, the owned points. It may reach beyond the
  /// domain.
  Box required;
  /// The intersection of `required` and `domain`.
  Box required_within_domain;
  /// The hull of the points of the array that this rank computes. For an input, these are the points that the
  /// rank reads from the source of the input. For a global reduction, they are the points that the rank
  /// contributes.
  Box computed;
  /// The number of the buffer into which the array is computed or read from its source; no_buffer if none
  /// holds the array.
  BufferId written_buffer = no_buffer;
  /// The number of the buffer where consumers read the array; no_buffer if none holds the array. It
  /// usually equals `written_buffer`. The two differ if one buffer with the hull of the points computed and
  /// the points read would be larger than two buffers.
  BufferId read_buffer = no_buffer;
  /// The number of points that this rank computes. A point that several tiles compute counts once for each of
  /// these tiles.
  std::int64_t computed_points = 0;
  /// How many of the `computed_points` are redundant, because another rank owns the point, or because this
  /// rank computes the point in another tile already. For values and global reductions the number is 0.
  std::int64_t redundant_points = 0;
};

/// The resources of the machine that one rank may use.
struct Target {
  /// The number of threads that compute. On hosts, each thread has its own scratch memory.
  int threads = 1;
  /// Whether kernels run on a device. On devices, only fusable groups compute tiles in scratch memory. The
  /// default is true if the kernels of this build run on a device.
  bool device = !runs_on_host;
  /// The number of parts at each level of the machine, outermost first: machine nodes, NUMA domains per
  /// machine node, and so on (see GridTarget::levels). Processor grids are chosen for these levels. An empty
  /// list means one level.
  std::vector<int> levels = {};
  /// The number of bytes that a rank may use; 0 means that there is no limit.
  std::int64_t memory_bytes = 0;
  /// Devices: the bytes of scratch memory that each team of threads has.
  std::int64_t team_scratch_bytes = std::int64_t{48} << 10;
  /// Devices: whether messages may be staged, which means sent from pinned host memory and received there
  /// (see Transport::device_addresses). The buffers of messages then exist twice.
  bool stages_messages = false;
  /// Hosts: the size of this rank's share of the last-level cache, in bytes. A result that is larger than
  /// half of the share may be written with stores that bypass the caches. A result of a stage that transposes
  /// may be written in this way if it is larger than a quarter of the share. If the size is 0, no result is
  /// written in this way.
  std::int64_t cache_bytes = 0;
};

/// Everything that one rank will do, as plain data. A plan follows from the pipeline, the schedule, the
/// target, the number of ranks and the rank. It is made without communication and without reading or
/// computing any point.
struct Plan {
  /// The rank that the plan is for.
  int rank = 0;
  /// The number of ranks.
  int rank_count = 1;
  /// The resources that the plan was made for.
  Target target;
  /// The regions of each array.
  IdVector<ArrayId, ArrayRegions> stages;
  /// The buffers.
  IdVector<BufferId, Buffer> buffers;
  /// The root of the tree of nodes.
  PlanNode root;
  /// The bytes of the memory that holds all buffers. Memory that buffers share counts once.
  std::int64_t array_bytes = 0;
  /// The bytes of the memory for messages.
  std::int64_t message_bytes = 0;
  /// Hosts: the bytes of the scratch memory of all threads together. Devices: the bytes of the tables with
  /// the boxes of all tiles, which the kernels of fusable groups read.
  std::int64_t scratch_bytes = 0;
  /// The bytes of the partial results of global reductions.
  std::int64_t partial_bytes = 0;
  /// The bytes that the calls of library stages allocate for themselves on the host, on all threads together.
  /// Devices: the staging memory for the arrays of these stages is added (see is_staged).
  std::int64_t library_bytes = 0;

  /// The bytes of memory that the rank needs.
  std::int64_t peak_bytes() const {
    return array_bytes + message_bytes + scratch_bytes + partial_bytes + library_bytes;
  }
};

/// Returns the band that the plan is for, or null if the plan is for the whole arrays. The result points into
/// `plan`.
const Band* band_of(const Plan& plan);

/// Returns the bytes of memory that a rank needs if it computes one band while it reads the next band or
/// writes the previous one. The two bands have separate memory. For a plan without bands, the result is
/// plan.peak_bytes().
std::int64_t peak_bytes_with_next_band(const Plan& plan);

/// Returns the first plan::Sequence with this name in the plan. Every plan that make_plan returns has
/// sequences with the names "read", "compute" and "write". Throws InternalError if there is no sequence with
/// this name.
const plan::Sequence& phase(const Plan& plan, std::string_view name);

/// The steps that use a piece of memory: all steps from `first` to `last`. Steps are numbered in the order in
/// which they run. By default no step uses the memory.
struct Lifetime {
  /// The first step that uses the memory.
  int first = 0;
  /// The last step that uses the memory. It is less than `first` if no step uses the memory.
  int last = -1;

  /// Extends the lifetime so that it contains `step`.
  void use(int step) {
    if (last < first) first = last = step;
    first = step < first ? step : first;
    last = step > last ? step : last;
  }
};

/// Places pieces of memory so that pieces that are in use at the same step do not overlap. Piece i has
/// bytes[i] bytes and the lifetime lifetimes[i]. The largest piece is placed first. Each piece is placed at
/// the lowest offset that is free during its whole lifetime. Writes the offset of each piece in bytes to
/// `offsets`; all offsets are multiples of 64. Returns the size in bytes of the memory that holds all pieces.
std::int64_t place_by_lifetime(const std::vector<std::int64_t>& bytes, const std::vector<Lifetime>& lifetimes,
                               std::vector<std::int64_t>& offsets);

// Stages that threads of the host compute although the target is a device, such as calls of a library that
// has no functions for devices. The arrays of such a stage are copied to host memory before the stage is
// computed, and the results are copied back. The host memory is called staging memory.

/// Whether a target computes the stage `stage` in staging memory. Targets that are hosts never do.
bool is_staged(const Algorithm& pipeline, const Target& target, ArrayId stage);

/// An array of a staged stage, and where its buffer is copied to.
struct StagedArray {
  /// The id of the array.
  ArrayId array = {};
  /// Whether the stage computes the array. Otherwise the stage reads the array.
  bool is_computed = false;
  /// Where the copy of the buffer begins, in bytes from the start of the staging memory.
  std::int64_t offset = 0;
};

/// Returns the arrays of the staged stage `stage`, each of them once. The buffers of `plan` must have their
/// sizes. Loops may swap only buffers of the same size.
std::vector<StagedArray> staged_arrays(const Algorithm& pipeline, const Plan& plan, ArrayId stage);

/// Returns the bytes of staging memory that the staged stage `stage` needs.
std::int64_t staging_bytes(const Algorithm& pipeline, const Plan& plan, ArrayId stage);

}  // namespace tessera
