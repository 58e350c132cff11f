// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tessera {

/// Finds the ranks for which a condition holds without testing each of them: a range of ranks is bisected
/// only if the condition may hold for one of its ranks. Ranges that had to be bisected are not tested again
/// by the next search, since the partners of a rank are much the same for all arrays. Every range is a half
/// of a half, and so on, of all ranks, so that searches on behalf of different ranks test the same ranges.
class RankSearch {
 public:
  /// The searches are among the ranks [0, rank_count).
  explicit RankSearch(int rank_count) : rank_count_(rank_count), nodes_(1) {}

  /// Calls found(rank), in rising order, for every rank for which may_hold(rank, rank + 1) is true.
  /// may_hold(first, last) must be true for a range of ranks when it is true for any part of it.
  template <class MayHold, class Found>
  void find(const MayHold& may_hold, const Found& found) {
    // What is known about the ranges of many partners does not help a search for a few, so it is dropped.
    if (nodes_.size() > most_nodes) nodes_.assign(1, Node{});
    if (rank_count_ > 0) visit(0, 0, rank_count_, may_hold, found);
  }

 private:
  /// A range of ranks.
  struct Node {
    /// The index of the node of the first half; the second half follows it. 0: the halves have no nodes yet.
    std::size_t halves = 0;
    /// Searches go on to the halves without a test of the range.
    bool is_split = false;
    /// The condition may hold for the range although it holds for none of its ranks: it is never tested
    /// again.
    bool is_loose = false;
  };
  static constexpr std::size_t most_nodes = 512;

  /// Returns whether the condition held for one of the ranks [first, last).
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
