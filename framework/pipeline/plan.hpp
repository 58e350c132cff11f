// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tessera/pipeline/pipeline.hpp"
#include "tessera/pipeline/schedule.hpp"
#include "tessera/view/exchange_lists.hpp"

namespace tessera {

struct PlanNode;

/// The kinds of nodes. `array` and `stage` are ids of the pipeline: an array is named after what computes it.
namespace plan {

/// Children in order.
struct Sequence {
  std::string name;
  std::vector<PlanNode> children;
};
/// Memory for a box of an array; see padded_layout for `aligned_x`.
struct Allocate {
  int array;
  Box box;
  std::int64_t aligned_x;
  std::int64_t bytes;
};
/// The rank's block of an input comes from a file, or from memory.
struct Read {
  int array;
  Box box;
};
/// Ghosts of an array come from the ranks that own them.
struct ExchangeGhosts {
  int array;
  ExchangeLists lists;
};
/// Points of `box` outside the array's domain get their values from its edge.
struct FillBoundary {
  int array;
  Box box;
};
/// `stage` on `box`, tile by tile. Before each tile of it, the other members are computed into scratch memory
/// of the thread, in order; the last member is `stage` itself.
struct Compute {
  int stage;
  Box box;
  std::vector<int> members;
  /// Tile t needs the box boxes[t * members.size() + m] of member m.
  std::vector<Box> boxes;
  /// Bytes from the start of a thread's scratch to each member but the last.
  std::vector<std::int64_t> scratch_offsets;
  /// Scratch of one thread.
  std::int64_t scratch_bytes;

  std::size_t tile_count() const { return boxes.size() / members.size(); }
};
/// The rank's block of an output goes to a file, or to memory.
struct Write {
  int array;
  Box box;
};
struct Free {
  int array;
};

}  // namespace plan

/// A node of a plan. Its id is its place in a depth-first walk: the same on all ranks, and in every report.
struct PlanNode {
  int id = 0;
  std::variant<plan::Sequence, plan::Allocate, plan::Read, plan::ExchangeGhosts, plan::FillBoundary,
               plan::Compute, plan::Write, plan::Free>
      step;
};

/// What one rank does with one stage or input.
struct StageRegions {
  /// As it is run: `tile` is `rank` where tiles have no scratch (devices).
  Placement placement = Placement::distributed;
  ProcessorGrid grid;
  Slicing slicing = Slicing::ceil;
  /// All points that any rank may compute or read.
  Box domain;
  /// The box whose slices the ranks own; points of the domain outside it belong to the edge blocks.
  Box nominal;
  /// The points of the domain that this rank stands for.
  Box owned;
  /// What this rank's consumers read, and the edge points that its boundary condition copies from.
  Box required;
  Box required_within_domain;
  /// The hull of what this rank computes of it (reads, of an input).
  Box computed;
  /// Points computed, those of overlapping tiles counted each time.
  std::int64_t computed_points = 0;
  /// Points computed beyond once each on the rank that owns it.
  std::int64_t redundant_points = 0;
};

/// What the machine offers to one rank.
struct Target {
  /// Threads that compute, each with scratch of its own.
  int threads = 1;
  /// Kernels run on a device: no tiles in scratch.
  bool device = false;
  /// The levels of the machine that grids follow, outermost first (see GridTarget); empty: one level.
  std::vector<int> levels = {};
};

/// Everything one rank will do, as plain data: a pure function of pipeline, schedule, target, rank count and
/// rank, made without communication and without touching a pixel.
struct Plan {
  int rank = 0;
  int rank_count = 1;
  Target target;
  std::vector<StageRegions> stages;
  PlanNode root;
  /// Memory of arrays, of message buffers, and of all threads' scratch.
  std::int64_t array_bytes = 0;
  std::int64_t message_bytes = 0;
  std::int64_t scratch_bytes = 0;

  std::int64_t peak_bytes() const { return array_bytes + message_bytes + scratch_bytes; }
};

/// Plans what `rank` of `rank_count` does. Throws ScheduleError when the schedule does not fit the pipeline
/// or the rank count, saying what would be legal, and InternalError when a stage body reads without bounds.
Plan make_plan(const Pipeline& pipeline, const Schedule& schedule, const Target& target, int rank_count,
               int rank);

/// The first Sequence of that name in the plan, which every plan of make_plan has: "allocate", "read",
/// "compute", "write" and "free".
const plan::Sequence& phase(const Plan& plan, std::string_view name);

}  // namespace tessera
