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

/// The children run once, in order.
struct Sequence {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "sequence";
  /// The name of the part of the plan, such as "compute".
  std::string name;
  /// The parts of the plan that run.
  std::vector<PlanNode> children;
};
/// The children run again and again, until `maximum` turns are over or a condition ends the loop earlier.
struct Repeat {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "repeat";
  /// The most turns.
  std::int64_t maximum = 1;
  /// The id of the array, a value or the result of a global reduction, whose first element ends the loop when
  /// it is not zero; -1: no condition.
  int condition = -1;
  /// The nodes that run in every turn, or in every round of turns.
  std::vector<PlanNode> children;
  /// The number of the loop in the pipeline; -1: it is none of the pipeline's.
  int loop = -1;
  /// The ids of the arrays whose first element is the residual, one for each turn of a round; empty if the
  /// loop has no residual.
  std::vector<int> residuals;
  /// The number of turns that the children compute.
  int turns = 1;
  /// The number of the loop that goes on if the children are a round of turns (see in_rounds) in which the
  /// condition comes to hold: the swaps at the end of the round are taken back, and that loop, which is the
  /// next one, goes on. -1: the children are no round.
  int rounds_of = -1;
  /// Whether the loop counts its turns on from where the loop before it ended.
  bool continues = false;
  /// Whether reductions of a turn are under way while the points of the next turn are computed (see
  /// TurnPart).
  bool overlaps_test = false;
};
/// The steps of one of the bands into which the arrays are cut when they do not fit into memory.
struct Bands {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "bands";
  /// The band.
  Band band;
  /// The steps.
  std::vector<PlanNode> children;
};
/// The children run once for each item of a stream, such as a frame, until there is none.
struct Items {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "items";
  /// The steps for one item.
  std::vector<PlanNode> children;
};
/// Marks the beginning of a buffer's use. Until its Free nothing else touches its part of the rank's memory.
struct Allocate {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "allocate";
  /// The number of the buffer.
  int buffer = 0;
};
/// Marks the end of a buffer's use.
struct Free {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "free";
  /// The number of the buffer.
  int buffer = 0;
};
/// Reads the rank's block of an input from its source, a file or memory.
struct Read {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "read";
  /// The id of the input.
  int array = 0;
  /// The block.
  Box box;
};
/// Writes the rank's block of an output to its sink, a file or memory.
struct Write {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "write";
  /// The id of the output.
  int array = 0;
  /// The block.
  Box box;
};
/// The messages of one array in an exchange. They go from where the array is computed to where it is read.
struct ArrayMessages {
  /// The id of the array.
  int array = 0;
  /// The boxes that this rank sends, receives and copies.
  ExchangeLists lists;
};
/// Every rank gets the points that it needs from the ranks that own them. All points for one partner are one
/// message. Collective over all ranks.
struct Exchange {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "exchange";
  /// The messages of each array.
  std::vector<ArrayMessages> arrays;
  /// Whether the exchange is only started here. Steps that need none of its points then run while it is under
  /// way, until its FinishExchange.
  bool overlapped = false;
};
/// Waits until the messages of an overlapped exchange have arrived.
struct FinishExchange {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "wait";
  /// The id of the Exchange node.
  int exchange = 0;
};
/// Fills the points of `box` outside the array's domain by the array's boundary conditions.
struct FillBoundary {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "boundary";
  /// The id of the array.
  int array = 0;
  /// The points to fill, and points of the domain, which do not change.
  Box box;
};
/// The place of an array of a tile in the scratch memory of a thread or team. Arrays that are not needed at
/// the same time may share memory.
struct Scratch {
  /// The id of the array.
  int array = 0;
  /// The place where it begins, in bytes from the start of the scratch memory.
  std::int64_t offset = 0;
};
/// The points that the tiles of a stage contribute to a global reduction of one of its outputs.
struct Contribution {
  /// The id of the global reduction.
  int stage = 0;
  /// The points that this rank contributes, each once.
  Box box;
};
/// Computes `stage` on `parts`, each of which is cut into tiles. For each tile the members are computed in
/// order, into scratch memory of the thread. The last member is `stage` itself, whose outputs go to the
/// array's memory, but for outputs that only reductions read, which stay in scratch. If `stage` is a global
/// reduction, the parts are the points that the rank contributes.
struct Compute {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "compute";
  /// The id of the stage's first output.
  int stage = 0;
  /// The boxes to compute, which do not overlap.
  std::vector<Box> parts;
  /// The points of a tile in every dimension.
  TileSize tile;
  /// The ids of the stages that are computed in each tile, in order.
  std::vector<int> members;
  /// Tile t needs the box boxes[t * (members.size() - 1) + m] of member m; the last member has no boxes here.
  std::vector<Box> boxes;
  /// The places of the arrays that are in scratch.
  std::vector<Scratch> scratch;
  /// Global reductions to which each tile contributes while it is in cache.
  std::vector<Contribution> contributions;
  /// The bytes of scratch of one thread (hosts) or of one team (devices).
  std::int64_t scratch_bytes = 0;
  /// Devices: the number of the pipeline's fusable group that computes all members in one kernel; -1: none.
  int group = -1;
  /// Hosts: whether the result is written past the caches, because it would leave them before it is read
  /// again.
  bool non_temporal = false;
};
/// Joins the contributions of all ranks to a global reduction and gives every rank the result. Collective
/// over all ranks.
struct Reduce {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "reduce";
  /// The id of the reduction.
  int stage = 0;
};
/// Lets two arrays of the same shape exchange their buffers. Nothing is copied.
struct Swap {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "swap";
  /// The id of one array.
  int first = 0;
  /// The id of the other array.
  int second = 0;
};

/// A node of any kind. Code that treats kinds differently calls visit_step, which does not compile when a
/// kind is left out.
using Step = std::variant<Sequence, Repeat, Bands, Items, Allocate, Free, Read, Write, Exchange,
                          FinishExchange, FillBoundary, Compute, Reduce, Swap>;

}  // namespace plan

/// A node of a plan. The plans of all ranks have the same nodes with the same ids, and reports name nodes by
/// their ids.
struct PlanNode {
  /// The place of the node in a depth-first walk of its plan, from 0.
  int id = 0;
  /// The kind of the node with its arguments, and the children of an inner node.
  plan::Step step;
};

/// The children of an inner node; null for leaves.
const std::vector<PlanNode>* children_of(const PlanNode& node);
/// The children of an inner node, which may be changed; null for leaves.
std::vector<PlanNode>* children_of(PlanNode& node);

/// Whether the node is a leaf that does something when the plan runs. Allocate and Free do not: no memory is
/// taken or given back while a plan runs.
bool is_step(const PlanNode& node);

/// Numbers all nodes of a plan depth first, from 0 on. Each FinishExchange then refers to the last Exchange
/// before it under the same node.
void number_nodes(PlanNode& root);

/// Calls visit(node) for `node` and all nodes below it, depth first, parents before their children.
template <class Visit>
void walk(const PlanNode& node, const Visit& visit) {
  visit(node);
  if (const auto* children = children_of(node))
    for (const PlanNode& child : *children) walk(child, visit);
}

}  // namespace tessera
