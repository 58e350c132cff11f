// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>

namespace tessera {

/// A record of the ways that inference takes at undecided branches, called the tape. A branch is undecided if
/// its condition holds for some values of the intervals, but not for others. A path is one choice of a way at
/// each undecided branch. The body is run once for every path, depth first, so that the accesses of both ways
/// of each branch are recorded. The tape is plain data, because the body may be compiled for devices.
struct Decisions {
  /// The greatest number of undecided branches on one path.
  static constexpr int capacity = 48;
  /// The greatest number of paths that are explored. A body with more paths should use `select`, `min` or
  /// `max` instead of branches.
  static constexpr int maximum_paths = 256;

  /// The way that the current path takes at each undecided branch: 1 if the condition is taken to hold, else
  /// 0.
  unsigned char taken[capacity];
  /// The number of branches on the tape.
  int length = 0;
  /// The number of undecided branches that the current run of the body has met so far.
  int position = 0;
  /// Whether the body has met more undecided branches on a path than the tape can hold.
  bool overflow = false;
  /// Whether the body has compared a number that depends on the box that it computes. On other boxes the
  /// comparison may have another result.
  bool depends_on_box = false;

  /// Returns the way to go at an undecided branch. If the tape has an entry for this branch, the result is
  /// this entry. Otherwise `false` is appended to the tape and returned. If the tape is full, `overflow` is
  /// set, and the results of further calls alternate.
  KOKKOS_FUNCTION bool decide() {
    if (position < length) return taken[position++] != 0;
    if (length == capacity) {
      // When the tape is full, the results alternate, so that a loop ends whichever result its condition
      // waits for.
      overflow = true;
      return ++position % 2 != 0;
    }
    taken[length++] = 0;
    ++position;
    return false;
  }

  /// Prepares the tape for the next path. Returns `false` if all paths have been taken, else `true`.
  bool advance() {
    while (length > 0 && taken[length - 1]) --length;
    position = 0;
    if (length == 0) return false;
    taken[length - 1] = 1;
    return true;
  }
};

/// The result of a comparison of intervals. It is undecided if the comparison holds for some values of the
/// intervals, but not for others. If an undecided result is the condition of an `if` or a loop, inference
/// explores both ways. The operators `&&`, `||` and `!`, and the function `select`, take undecided operands
/// without exploring both ways.
struct Truth {
  /// `no`: the comparison holds for no values. `yes`: it holds for all values. `either`: it is undecided.
  enum Value : unsigned char { no, yes, either };
  /// The result.
  Value value;
  /// The tape that decides which way to go if the result is undecided. It is null if the result comes from
  /// plain numbers.
  Decisions* decisions = nullptr;

  /// Returns which way to go if this result is the condition of a branch. If the result is undecided, the
  /// tape decides.
  KOKKOS_FUNCTION explicit operator bool() const {
    return value == either ? decisions->decide() : value == yes;
  }
};

/// Returns the logical NOT of a result. The negation of an undecided result is undecided.
KOKKOS_FORCEINLINE_FUNCTION Truth operator!(Truth a) {
  return {a.value == Truth::either ? Truth::either
          : a.value == Truth::yes  ? Truth::no
                                   : Truth::yes,
          a.decisions};
}
/// Returns the logical AND of two results. Both operands are always evaluated, and the tape is not used.
KOKKOS_FORCEINLINE_FUNCTION Truth operator&&(Truth a, Truth b) {
  const bool no = a.value == Truth::no || b.value == Truth::no;
  const bool yes = a.value == Truth::yes && b.value == Truth::yes;
  return {no ? Truth::no : yes ? Truth::yes : Truth::either, a.decisions ? a.decisions : b.decisions};
}
/// Returns the logical OR of two results. Both operands are always evaluated, and the tape is not used.
KOKKOS_FORCEINLINE_FUNCTION Truth operator||(Truth a, Truth b) { return !(!a && !b); }
/// Returns the Truth of a plain condition, which is never undecided.
KOKKOS_FORCEINLINE_FUNCTION Truth known(bool value) { return {value ? Truth::yes : Truth::no}; }
/// Returns the logical AND of a result and a plain condition.
KOKKOS_FORCEINLINE_FUNCTION Truth operator&&(Truth a, bool b) { return a && known(b); }
/// Returns the logical AND of a plain condition and a result.
KOKKOS_FORCEINLINE_FUNCTION Truth operator&&(bool a, Truth b) { return known(a) && b; }
/// Returns the logical OR of a result and a plain condition.
KOKKOS_FORCEINLINE_FUNCTION Truth operator||(Truth a, bool b) { return a || known(b); }
/// Returns the logical OR of a plain condition and a result.
KOKKOS_FORCEINLINE_FUNCTION Truth operator||(bool a, Truth b) { return known(a) || b; }

}  // namespace tessera
