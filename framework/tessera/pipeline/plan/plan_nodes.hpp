// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/pipeline/plan/window.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"
#include "tessera/view/exchange_lists.hpp"

namespace tessera {

struct PlanNode;

/// The kinds of nodes of a plan, each with the word that names it in reports and files. `array` and `stage`
/// are ids of the pipeline, `buffer` is a place in the plan's list of buffers.
namespace plan {

/// Children in order.
struct Sequence {
  static constexpr std::string_view kind = "sequence";
  std::string name;
  std::vector<PlanNode> children;
};
/// Children again and again, until `maximum` turns are over. The loop ends before if the first element of the
/// array `condition`, a value or the result of a global reduction, is not zero; -1: no condition.
struct Repeat {
  static constexpr std::string_view kind = "repeat";
  std::int64_t maximum = 1;
  int condition = -1;
  std::vector<PlanNode> children;
  /// Which of the pipeline's loops; -1: none of them.
  int loop = -1;
  /// By turn: the array whose first element says how far it was from the end; empty: none does.
  std::vector<int> residuals;
  /// How many turns the children are.
  int turns = 1;
  /// Not -1: when the condition holds, the swaps at the end are taken back; this loop, which is the next one,
  /// then goes on.
  int rounds_of = -1;
  /// Turns are counted from where the loop before ended.
  bool continues = false;
  /// Reductions of a turn are under way while the points of the next are computed: see TurnPart.
  bool overlaps_test = false;
};
/// Out of core: the steps of one of the bands that an image larger than memory is cut into.
struct Bands {
  static constexpr std::string_view kind = "bands";
  Band band;
  std::vector<PlanNode> children;
};
/// The frames of a stream: children once for each, until there is none.
struct Items {
  static constexpr std::string_view kind = "items";
  std::vector<PlanNode> children;
};
/// From here on a buffer is in use; until its Free nothing else touches its part of the rank's memory.
struct Allocate {
  static constexpr std::string_view kind = "allocate";
  int buffer = 0;
};
struct Free {
  static constexpr std::string_view kind = "free";
  int buffer = 0;
};
/// The rank's block of an input comes from a file, or from memory.
struct Read {
  static constexpr std::string_view kind = "read";
  int array = 0;
  Box box;
};
/// The rank's block of an output goes to a file, or to memory.
struct Write {
  static constexpr std::string_view kind = "write";
  int array = 0;
  Box box;
};
/// What the ranks send each other of one array: from where it is computed to where it is read.
struct ArrayMessages {
  int array = 0;
  ExchangeLists lists;
};
/// Points that a rank needs come from the ranks that own them; all that goes to one partner is one message.
struct Exchange {
  static constexpr std::string_view kind = "exchange";
  std::vector<ArrayMessages> arrays;
  /// Only started here: what needs none of it runs while it is under way, until FinishExchange.
  bool overlapped = false;
};
struct FinishExchange {
  static constexpr std::string_view kind = "wait";
  /// The id of the Exchange node.
  int exchange = 0;
};
/// Points of `box` outside the array's domain get what its boundary conditions say.
struct FillBoundary {
  static constexpr std::string_view kind = "boundary";
  int array = 0;
  Box box;
};
/// Where a thread keeps an array of a tile: so many bytes from the start of its scratch memory. Arrays that
/// are not needed at the same time may share it.
struct Scratch {
  int array = 0;
  std::int64_t offset = 0;
};
/// What a stage's tiles contribute to a global reduction of one of its outputs: the points of `box`, each
/// once.
struct Contribution {
  int stage = 0;
  Box box;
};
/// `stage` on `parts`, each cut into tiles. Before a tile, the other members are computed into scratch memory
/// of the thread, in order; the last member is `stage` itself, of which outputs that nothing but reductions
/// reads are in scratch, too. Of a global reduction these are the points that the rank contributes.
struct Compute {
  static constexpr std::string_view kind = "compute";
  int stage = 0;
  /// Boxes that do not overlap.
  std::vector<Box> parts;
  /// Points of a tile in every dimension.
  TileSize tile;
  std::vector<int> members;
  /// Tile t needs the box boxes[t * (members.size() - 1) + m] of member m, the last one left out.
  std::vector<Box> boxes;
  std::vector<Scratch> scratch;
  /// Global reductions of what was just computed: of a tile at a time, as long as it is in cache.
  std::vector<Contribution> contributions;
  /// Scratch of one thread (hosts), or of one team of a device.
  std::int64_t scratch_bytes = 0;
  /// Devices: the pipeline's group of fusable stages that computes all members in one kernel; -1: none.
  int group = -1;
  /// Hosts: the result is written past the caches, as it would leave them before it is read again.
  bool streams = false;
};
/// The contributions to a global reduction become its result, on all ranks.
struct Reduce {
  static constexpr std::string_view kind = "reduce";
  int stage = 0;
};
/// Two arrays of the same shape change places.
struct Swap {
  static constexpr std::string_view kind = "swap";
  int first = 0;
  int second = 0;
};

/// All kinds of nodes. Who treats them differently calls visit_step, which does not compile when one is left
/// out.
using Step = std::variant<Sequence, Repeat, Bands, Items, Allocate, Free, Read, Write, Exchange,
                          FinishExchange, FillBoundary, Compute, Reduce, Swap>;

}  // namespace plan

/// A node of a plan. Its id is its place in a depth-first walk: the same on all ranks, and in every report.
struct PlanNode {
  int id = 0;
  plan::Step step;
};

/// The children of an inner node; null for leaves.
const std::vector<PlanNode>* children_of(const PlanNode& node);
std::vector<PlanNode>* children_of(PlanNode& node);

/// A leaf at which something is done: no memory is taken or given back while a plan runs.
bool is_step(const PlanNode& node);

/// Numbers all nodes of a plan depth first, from 0 on; what finishes an exchange refers to the one before it
/// under the same node.
void number_nodes(PlanNode& root);

/// Calls visit(node) for `node` and all below it, depth first.
template <class Visit>
void walk(const PlanNode& node, const Visit& visit) {
  visit(node);
  if (const auto* children = children_of(node))
    for (const PlanNode& child : *children) walk(child, visit);
}

}  // namespace tessera
