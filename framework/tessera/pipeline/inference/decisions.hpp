// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>

namespace tessera {

/// The tape of branches that inference took on undecided conditions. The body is run again for every path,
/// depth first, so that the accesses of both ways of each branch are recorded. The tape is plain data,
/// because the body may be compiled for devices.
struct Decisions {
  /// The most branches on one path.
  static constexpr int capacity = 48;
  /// The most paths that are explored: a body with more should use `select`, `min` or `max` instead of
  /// branches.
  static constexpr int maximum_paths = 256;

  /// The way taken at each branch of this path: 1 where its condition was taken to hold, else 0.
  unsigned char taken[capacity];
  /// The number of branches on the tape.
  int length = 0;
  /// The number of branches that this run of the body has met so far.
  int position = 0;
  /// Whether the body met more branches on a path than the tape holds.
  bool overflow = false;
  /// Whether the body compared a number that depends on the box: on other boxes the comparison may have
  /// another outcome.
  bool depends_on_box = false;

  /// Returns the way to go at an undecided branch: as on the tape, or `false`, which is appended, where the
  /// tape ends.
  KOKKOS_FUNCTION bool decide() {
    if (position < length) return taken[position++] != 0;
    if (length == capacity) {
      // When the tape is full, both ways are taken in turn, so that a loop that waits for either one ends.
      overflow = true;
      return ++position % 2 != 0;
    }
    taken[length++] = 0;
    ++position;
    return false;
  }

  /// Moves to the next path that was not taken yet; returns `false` when there is none.
  bool advance() {
    while (length > 0 && taken[length - 1]) --length;
    position = 0;
    if (length == 0) return false;
    taken[length - 1] = 1;
    return true;
  }
};

/// The result of comparing intervals. As the condition of an `if` or a loop, an undecided one is explored
/// both ways; `select`, `&&`, `||` and `!` do not fork.
struct Truth {
  /// `no` and `yes`: the comparison has this result for all values. `either`: it depends on the values.
  enum Value : unsigned char { no, yes, either };
  /// The result.
  Value value;
  /// The tape that settles an undecided result; null when the result is known from plain numbers.
  Decisions* decisions = nullptr;

  /// Makes Truth a condition: an undecided one asks the tape which way to go.
  KOKKOS_FUNCTION explicit operator bool() const {
    return value == either ? decisions->decide() : value == yes;
  }
};

/// Negates; the negation of an undecided result is undecided.
KOKKOS_FORCEINLINE_FUNCTION Truth operator!(Truth a) {
  return {a.value == Truth::either ? Truth::either
          : a.value == Truth::yes  ? Truth::no
                                   : Truth::yes,
          a.decisions};
}
/// The logical and of two results. It never asks the tape, and both sides are always evaluated.
KOKKOS_FORCEINLINE_FUNCTION Truth operator&&(Truth a, Truth b) {
  const bool no = a.value == Truth::no || b.value == Truth::no;
  const bool yes = a.value == Truth::yes && b.value == Truth::yes;
  return {no ? Truth::no : yes ? Truth::yes : Truth::either, a.decisions ? a.decisions : b.decisions};
}
/// The logical or of two results. It never asks the tape, and both sides are always evaluated.
KOKKOS_FORCEINLINE_FUNCTION Truth operator||(Truth a, Truth b) { return !(!a && !b); }
/// The Truth of a plain condition.
KOKKOS_FORCEINLINE_FUNCTION Truth known(bool value) { return {value ? Truth::yes : Truth::no}; }
/// The logical and with a plain condition.
KOKKOS_FORCEINLINE_FUNCTION Truth operator&&(Truth a, bool b) { return a && known(b); }
/// The logical and with a plain condition.
KOKKOS_FORCEINLINE_FUNCTION Truth operator&&(bool a, Truth b) { return known(a) && b; }
/// The logical or with a plain condition.
KOKKOS_FORCEINLINE_FUNCTION Truth operator||(Truth a, bool b) { return a || known(b); }
/// The logical or with a plain condition.
KOKKOS_FORCEINLINE_FUNCTION Truth operator||(bool a, Truth b) { return known(a) || b; }

}  // namespace tessera
