// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// A box of an array in the rank's memory. Buffers that are never in use at the same time may share it.
struct Buffer {
  int array = 0;
  Box box;
  /// See padded_layout.
  std::int64_t aligned_x = 0;
  /// From the start of the rank's memory, a multiple of 64.
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// What one rank does with one array: an input, or what a stage computes.
struct ArrayRegions {
  /// As it is run: `tile` is `rank` where tiles have no scratch (devices).
  Placement placement = Placement::distributed;
  ProcessorGrid grid;
  Slicing slicing = Slicing::ceil;
  /// All points that any rank may compute or read.
  Box domain;
  /// The box whose slices the ranks own; points of the domain outside it belong to the edge blocks.
  Box nominal;
  /// The points of the domain that this rank stands for. Of a global reduction: rank 0 for all.
  Box owned;
  /// What this rank's consumers read, and the edge points that its boundary condition copies from.
  Box required;
  Box required_within_domain;
  /// The hull of what this rank computes of it (reads, of an input; contributes, to a global reduction).
  Box computed;
  /// Where it is computed or read from files, and where its consumers find it: the same buffer unless one
  /// that holds both would be larger than two. -1 when no buffer holds it.
  int written_buffer = -1;
  int read_buffer = -1;
  /// Points computed, those of overlapping tiles counted each time.
  std::int64_t computed_points = 0;
  /// Points computed beyond once each on the rank that owns it.
  std::int64_t redundant_points = 0;
};

/// What the machine offers to one rank.
struct Target {
  /// Threads that compute, each with scratch of its own.
  int threads = 1;
  /// Kernels run on a device: no tiles in scratch but those of fusable groups. What this build runs, unless
  /// told.
  bool device = !runs_on_host;
  /// The levels of the machine that grids follow, outermost first (see GridTarget); empty: one level.
  std::vector<int> levels = {};
  /// Bytes that a rank may use; 0: any number.
  std::int64_t memory_bytes = 0;
  /// Devices: scratch memory of a team.
  std::int64_t team_scratch_bytes = std::int64_t{48} << 10;
  /// Hosts: a rank's part of the last level of cache; results of more than half of it, of stages that turn
  /// rows to columns a quarter, are written past it. 0: none is.
  std::int64_t cache_bytes = 0;
};

/// Everything one rank will do, as plain data: a pure function of pipeline, schedule, target, rank count and
/// rank, made without communication and without touching a pixel.
struct Plan {
  int rank = 0;
  int rank_count = 1;
  Target target;
  std::vector<ArrayRegions> stages;
  std::vector<Buffer> buffers;
  PlanNode root;
  /// Memory of buffers, of messages, of all threads' scratch (devices: of what kernels look up of tiles), and
  /// of partial values of global reductions.
  std::int64_t array_bytes = 0;
  std::int64_t message_bytes = 0;
  std::int64_t scratch_bytes = 0;
  std::int64_t partial_bytes = 0;

  std::int64_t peak_bytes() const { return array_bytes + message_bytes + scratch_bytes + partial_bytes; }
};

/// The same plan for item after item of a stream, such as frames: it runs until Bindings::next_item says that
/// there is none. Between items nothing is planned, allocated or prepared.
Plan plan_of_stream(Plan plan);

/// The band that the plan is for; null: it is for everything.
const Band* band_of(const Plan& plan);

/// Bytes that a rank needs while one band is computed, and the next is read into other memory or the last is
/// written from there; of a plan for everything what that needs.
std::int64_t peak_bytes_with_next_band(const Plan& plan);

/// The first Sequence of that name in the plan, which every plan of make_plan has: "read", "compute" and
/// "write".
const plan::Sequence& phase(const Plan& plan, std::string_view name);

}  // namespace tessera
