// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tessera {

/// Finds the ranks for which something holds, without asking about each: a range of ranks is bisected only if
/// it may hold for one of them. The next search does not ask again about ranges that had to be bisected: the
/// partners of a rank are much the same for all arrays. All ranges are halves of halves of all ranks, so that
/// searches for other ranks come to the same ones.
class RankSearch {
 public:
  explicit RankSearch(int rank_count) : rank_count_(rank_count), nodes_(1) {}

  /// Calls found(rank), in rising order, for every rank for which may_hold(rank, rank + 1).
  /// `may_hold(first, last)` must be true for a range of ranks when it is true for any part of it.
  template <class MayHold, class Found>
  void find(const MayHold& may_hold, const Found& found) {
    // What held for many ranks is no place to look for few from.
    if (nodes_.size() > most_nodes) nodes_.assign(1, Node{});
    if (rank_count_ > 0) visit(0, 0, rank_count_, may_hold, found);
  }

 private:
  /// A range of ranks.
  struct Node {
    /// The first of its halves, which lie one after the other; 0: none yet.
    std::size_t halves = 0;
    /// Searches go on to its halves without asking about it.
    bool is_split = false;
    /// It may hold though it does for none of its ranks: never asked about again.
    bool is_loose = false;
  };
  static constexpr std::size_t most_nodes = 512;

  /// Returns whether it held for one of the ranks [first, last).
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
