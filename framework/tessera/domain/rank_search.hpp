// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tessera {

/// Finds the ranks for which a condition holds, without testing each rank. A range of ranks is tested as a
/// whole, and is cut into two halves only if the condition may hold for one of its ranks. The search begins
/// with the range of all ranks.
///
/// The same RankSearch can be used for several searches, for example for all arrays. If a search has found a
/// rank in a range, the next search cuts this range without testing it. This saves time when the searches
/// find nearly the same ranks. All searches cut the ranks at the same places, whatever their conditions are.
class RankSearch {
 public:
  /// Prepares searches among the ranks [0, rank_count).
  explicit RankSearch(int rank_count) : rank_count_(rank_count), nodes_(1) {}

  /// Calls found(rank), in ascending order, for every rank for which may_hold(rank, rank + 1) is true.
  /// may_hold(first, last) is the test for the ranks [first, last). It must be true for a range if it is true
  /// for any part of that range.
  template <class MayHold, class Found>
  void find(const MayHold& may_hold, const Found& found) {
    // A search that finds few ranks gains nothing from the ranges of one that found many: they are dropped.
    if (nodes_.size() > most_nodes) nodes_.assign(1, Node{});
    if (rank_count_ > 0) visit(0, 0, rank_count_, may_hold, found);
  }

 private:
  /// What earlier searches have found out about a range of ranks.
  struct Node {
    /// The index of the node of the first half of the range. The node of the second half follows it. If the
    /// index is 0, the halves have no nodes yet.
    std::size_t halves = 0;
    /// Whether searches cut the range without testing it.
    bool is_split = false;
    /// Whether the test was true for the range, although it was false for each rank in the range. Later
    /// searches cut such a range without testing it.
    bool is_loose = false;
  };
  static constexpr std::size_t most_nodes = 512;

  /// Searches the ranks [first, last). Returns whether the test was true for one of these ranks.
  template <class MayHold, class Found>
  bool visit(std::size_t node, int first, int last, const MayHold& may_hold, const Found& found) {
    const bool asks = !nodes_[node].is_split;
    if (asks && !may_hold(first, last)) return false;
    if (last - first == 1) {
      found(first);
      return true;
    }
    split(node);
    const std::size_t halves = nodes_[node].halves;
    const int middle = first + (last - first) / 2;
    const bool low = visit(halves, first, middle, may_hold, found);
    const bool high = visit(halves + 1, middle, last, may_hold, found);
    if (low || high) return true;
    nodes_[node].is_loose = nodes_[node].is_loose || asks;
    nodes_[node].is_split = nodes_[node].is_loose;
    return false;
  }

  void split(std::size_t node) {
    nodes_[node].is_split = true;
    if (nodes_[node].halves != 0) return;
    nodes_[node].halves = nodes_.size();
    nodes_.resize(nodes_.size() + 2);
  }

  int rank_count_;
  std::vector<Node> nodes_;
};

}  // namespace tessera
