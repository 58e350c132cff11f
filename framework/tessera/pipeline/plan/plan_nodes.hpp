// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/window.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"
#include "tessera/view/exchange_lists.hpp"

namespace tessera {

struct PlanNode;

/// The kinds of nodes of a plan. The member `kind` is the word that names the kind in reports and plan files.
/// Members called `array` hold the id of an array. Members called `stage` hold the id of the first output of
/// a stage.
namespace plan {

/// A node whose children run once, in order.
struct Sequence {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "sequence";
  /// The name of this part of the plan, such as "compute".
  std::string name;
  /// The children, in the order of their execution.
  std::vector<PlanNode> children;
};
/// A loop of the pipeline, whose children run again and again, until `maximum` turns have ended or a
/// condition ends the loop earlier.
struct Repeat {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "repeat";
  /// The greatest number of turns.
  std::int64_t maximum = 1;
  /// The id of the array that ends the loop, which is a value or the result of a global reduction. The array
  /// is looked at after every turn or round of turns. The loop ends as soon as its first element is not zero.
  /// The id is no_array if the loop has no condition.
  ArrayId condition = no_array;
  /// The nodes that run in every turn, or in every round of turns.
  std::vector<PlanNode> children;
  /// The number of the loop in the pipeline.
  int loop = 0;
  /// The ids of the arrays whose first element is the residual of a turn. There is one array for each turn of
  /// a round. The list is empty if the loop has no residual.
  std::vector<ArrayId> residuals;
  /// The number of turns that the children compute when they run once. It is more than 1 for a round.
  int turns = 1;
  /// The number of the loop whose turns this loop computes in rounds (see in_rounds); -1 if this loop has no
  /// rounds. That loop follows this one and goes on with single turns. If the condition holds after a round,
  /// it may have held after an earlier turn of this round already. The swaps at the end of the round are
  /// therefore undone, and the following loop computes the turns of the round again, one by one, until the
  /// condition holds.
  int rounds_of = -1;
  /// Whether this loop follows a loop of rounds and goes on with single turns (see `rounds_of`). The turns of
  /// the completed rounds then count as turns of this loop.
  bool continues = false;
  /// Whether the global reductions of a turn, or of a round, run while the points of the next turn or round
  /// are computed (see TurnPart).
  bool overlaps_test = false;

  /// Returns the number of the loop whose turns the children compute: that of the loop that the rounds belong
  /// to, or `loop` if the node has no rounds.
  int loop_of_turns() const { return rounds_of >= 0 ? rounds_of : loop; }
};
/// A node whose children compute one band. Arrays that do not fit into memory are cut into bands.
struct Bands {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "bands";
  /// The band that the children compute.
  Band band;
  /// The nodes that read, compute and write the band.
  std::vector<PlanNode> children;
};
/// Reads owned points of an input from the source of the input, which is a file or memory.
struct Read {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "read";
  /// The id of the input.
  ArrayId array = {};
  /// The points to read. In the plan of a band, they may lie beyond periodic sides. Each rank then reads the
  /// points that they repeat from the other end of the input.
  Box box;
};
/// Writes owned points of an output to the sink of the output, which is a file or memory.
struct Write {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "write";
  /// The id of the output.
  ArrayId array = {};
  /// The points to write.
  Box box;
};
/// The messages of one array in an exchange. The sender takes points from ArrayRegions::written_buffer. The
/// receiver stores them in ArrayRegions::read_buffer.
struct ArrayMessages {
  /// The id of the array.
  ArrayId array = {};
  /// The boxes that this rank sends, receives and copies.
  ExchangeLists lists;
};
/// A step that brings every rank the points that it needs from the ranks that own these points. All points
/// that one rank sends to another rank form one message. The step is collective over all ranks.
struct Exchange {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "exchange";
  /// The messages of each array.
  std::vector<ArrayMessages> arrays;
  /// Whether this step only starts the exchange. Steps that need none of the exchanged points then run before
  /// a FinishExchange waits for the messages.
  bool overlapped = false;
};
/// Waits until the messages of an overlapped exchange have arrived.
struct FinishExchange {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "wait";
  /// The id of the Exchange node that started the exchange.
  int exchange = 0;
};
/// Fills in those points of `box` that lie outside the domain of the array. Their values follow from the
/// boundary conditions of the array.
struct FillBoundary {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "boundary";
  /// The id of the array.
  ArrayId array = {};
  /// A box that contains the points to fill in. The points of the box within the domain do not change.
  Box box;
};
/// The place of an array in the scratch memory of a thread or team, which holds the points that one inner
/// tile needs. Arrays that are not needed at the same time may share memory.
struct Scratch {
  /// The id of the array.
  ArrayId array = {};
  /// The offset of the array from the start of the scratch memory, in bytes.
  std::int64_t offset = 0;
  /// The number of rows that fit into the memory of the array of a window (see Compute::placements). Rows
  /// stay in place while the window moves over them, until the last row is reached. The number is 0 for
  /// arrays that are not in a window, which have memory for the rows of one box only.
  std::int64_t rows = 0;
};
/// A global reduction that takes in the points which the tiles of a Compute node compute.
struct Contribution {
  /// The id of the global reduction.
  ArrayId stage = {};
  /// The points that this rank contributes. Each point is contributed once, even if several tiles compute it.
  Box box;
};
/// Computes `stage` on the boxes in `parts`. Each of them is cut into tiles. Each tile may be cut into inner
/// tiles, which one thread computes in order; otherwise a tile is its own only inner tile. For each inner
/// tile, the stages in `members` are computed in order. The last member is `stage` itself. The outputs of
/// `stage` are written to buffers, except outputs that only global reductions read. Scratch memory holds the
/// outputs that only global reductions read, and all outputs of the other members. If `stage` is a global
/// reduction, `parts` holds the points that the rank contributes.
struct Compute {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "compute";
  /// The id of the first output of the stage.
  ArrayId stage = {};
  /// The boxes to compute, which do not overlap.
  std::vector<Box> parts;
  /// The number of points of a tile along each dimension, x first.
  TileSize tile;
  /// The number of points of an inner tile along each dimension, x first. The list is empty if tiles are not
  /// cut.
  TileSize inner;
  /// The ids of the first outputs of the stages that are computed in each tile, in order.
  std::vector<ArrayId> members;
  /// How each member but the last is computed: for every inner tile anew (`tile`), without the rows that are
  /// kept from the inner tile before (`window`, see rows_to_compute), or once for all inner tiles of a tile,
  /// before the other members (`outer_tile`). The list is empty if tiles are not cut.
  std::vector<Placement> placements;
  /// For each inner tile, the boxes that the inner tile needs of all members but the last. The box of member
  /// m for inner tile t is boxes[t * (members.size() - 1) + m]. Inner tiles are numbered as InnerTiles says.
  std::vector<Box> boxes;
  /// The arrays that are kept in scratch memory, with their places.
  std::vector<Scratch> scratch;
  /// The global reductions that take in the points of each tile while they are in cache.
  std::vector<Contribution> contributions;
  /// The bytes of scratch memory that one thread (hosts) or one team (devices) needs.
  std::int64_t scratch_bytes = 0;
  /// Devices: the number of the fusable group of the pipeline whose kernel computes all members. The number
  /// is -1 if no group computes them.
  int group = -1;
  /// Hosts: whether the result is written with stores that bypass the caches, because the caches could not
  /// keep it until it is read again.
  bool non_temporal = false;
};
/// Combines the contributions of all ranks to a global reduction and gives the result to every rank. The step
/// is collective over all ranks.
struct Reduce {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "reduce";
  /// The id of the global reduction.
  ArrayId stage = {};
};
/// Swaps the buffers of two arrays of the same shape. No points are copied.
struct Swap {
  /// The word that names this kind of node in reports and plan files.
  static constexpr std::string_view kind = "swap";
  /// The id of one array.
  ArrayId first = {};
  /// The id of the other array.
  ArrayId second = {};
};

/// The data of a node. The type of the data is the kind of the node. Code that treats kinds differently calls
/// visit_step, which does not compile if a kind has no case.
using Step = std::variant<Sequence, Repeat, Bands, Read, Write, Exchange, FinishExchange, FillBoundary,
                          Compute, Reduce, Swap>;

}  // namespace plan

/// A node of a plan. The plans of all ranks have the same nodes with the same ids. Reports refer to nodes by
/// their ids.
struct PlanNode {
  /// The position of the node in a depth-first traversal of the plan, counted from 0.
  int id = 0;
  /// The data of the node, whose type is the kind of the node. For an inner node, the data include the
  /// children.
  plan::Step step;
};

/// Returns the children of an inner node, or null for a leaf.
const std::vector<PlanNode>* children_of(const PlanNode& node);
/// Returns the children of an inner node, or null for a leaf. The caller may change the children.
std::vector<PlanNode>* children_of(PlanNode& node);

/// Whether the node is a leaf, which does something when the plan runs.
inline bool is_step(const PlanNode& node) { return children_of(node) == nullptr; }

/// Gives every node of a plan its id. Ids are assigned depth first, from 0 on. Each FinishExchange node then
/// refers to the last Exchange node before it under the same parent. Returns the number of nodes.
int number_nodes(PlanNode& root);

/// Calls visit(node) for `node` and all nodes below it. The order is depth first, with parents before their
/// children.
template <class Visit>
void walk(const PlanNode& node, const Visit& visit) {
  visit(node);
  if (const auto* children = children_of(node))
    for (const PlanNode& child : *children) walk(child, visit);
}

namespace plan {

/// Whether `Kind` is one of `Kinds`. A case of visit_step for several kinds of nodes has a parameter such as
/// `const AnyOf<Read, Write> auto&`.
template <class Kind, class... Kinds>
concept AnyOf = (std::same_as<std::remove_cvref_t<Kind>, Kinds> || ...);

}  // namespace plan

namespace detail {

/// Combines functions for different kinds of nodes into one overloaded function.
template <class... Functions>
struct StepCases : Functions... {
  using Functions::operator()...;
};

}  // namespace detail

/// Calls the function of `cases` that accepts the kind of the node, and returns the result of this function.
/// Every kind must have exactly one case. A case must not accept all kinds, as a function with a parameter
/// `const auto&` does, because the compiler could then not report that a new kind has no case.
template <class Node, class... Cases>
decltype(auto) visit_step(Node& node, Cases&&... cases) {
  return std::visit(detail::StepCases<std::decay_t<Cases>...>{std::forward<Cases>(cases)...}, node.step);
}

/// Returns the word for the kind of a node: "sequence", "repeat", "bands", "read", "write", "exchange",
/// "wait", "boundary", "compute", "reduce" or "swap".
std::string step_kind(const PlanNode& node);

/// Returns a short text that describes a node, such as "compute bv".
std::string step_label(const Algorithm& pipeline, const PlanNode& node);

/// Returns the names of the arrays of an exchange, separated by commas.
std::string names_of(const Algorithm& pipeline, const plan::Exchange& exchange);

}  // namespace tessera
