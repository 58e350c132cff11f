// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace tessera {

/// Finds the ranks for which something holds, without asking about each: a range of ranks is bisected only if
/// it may hold for one of them. What was asked in one search is where the next one starts: the partners of a
/// rank are much the same for all arrays, and then a search asks once for each of them and for the few ranges
/// between them.
class RankSearch {
 public:
  explicit RankSearch(int rank_count) : cover_(rank_count > 0 ? 1 : 0, Piece{0, rank_count}) {}

  /// Calls found(rank), in rising order, for every rank for which may_hold(rank, rank + 1).
  /// `may_hold(first, last)` must be true for a range of ranks when it is true for any part of it.
  template <class MayHold, class Found>
  void find(const MayHold& may_hold, const Found& found) {
    next_.clear();
    for (const Piece& piece : cover_) {
      if (may_hold(piece.first, piece.last))
        split(piece, may_hold, found);
      else
        leave_out(piece, may_hold);
    }
    cover_.swap(next_);
  }

 private:
  /// A range of ranks, in none of which it held, or a single rank.
  struct Piece {
    int first = 0;
    int last = 0;
    bool held = false;
    /// Together with the piece before it, it held once: they stay apart.
    bool is_apart = false;
  };

  /// Of a piece for which it may hold.
  template <class MayHold, class Found>
  void split(const Piece& piece, const MayHold& may_hold, const Found& found) {
    if (piece.last - piece.first == 1) {
      next_.push_back({piece.first, piece.last, true});
      return found(piece.first);
    }
    const int middle = piece.first + (piece.last - piece.first) / 2;
    for (const Piece& half : {Piece{piece.first, middle}, Piece{middle, piece.last}}) {
      if (may_hold(half.first, half.last))
        split(half, may_hold, found);
      else
        next_.push_back(half);
    }
  }

  /// A piece of the search before: it and the one before it become one, if that can be left out as a whole.
  template <class MayHold>
  void leave_out(Piece piece, const MayHold& may_hold) {
    piece.held = false;
    if (!next_.empty() && !next_.back().held && !piece.is_apart) {
      piece.is_apart = may_hold(next_.back().first, piece.last);
      if (!piece.is_apart) {
        next_.back().last = piece.last;
        return;
      }
    }
    next_.push_back(piece);
  }

  /// All ranks, in rising order.
  std::vector<Piece> cover_;
  /// That of the search under way.
  std::vector<Piece> next_;
};

}  // namespace tessera
