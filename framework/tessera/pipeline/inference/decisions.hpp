// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>

namespace tessera {

/// The tape of branches that inference took on undecided conditions. A body is run again for every path,
/// depth first, so that both ways of each branch leave their accesses. Plain data: the body may be compiled
/// for devices.
struct Decisions {
  static constexpr int capacity = 48;
  /// More paths than this, and the body should use `select`, `min` or `max` instead of branches.
  static constexpr int maximum_paths = 256;

  unsigned char taken[capacity];
  int length = 0;
  int position = 0;
  bool overflow = false;
  /// A comparison met a number that depends on the box: on other boxes it may have another outcome.
  bool depends_on_box = false;

  /// The way to go at an undecided branch: as on the tape, or `false` where the tape ends.
  KOKKOS_FUNCTION bool decide() {
    if (position < length) return taken[position++] != 0;
    if (length == capacity) {
      // Both ways in turn, so that a loop that waits for either one ends.
      overflow = true;
      return ++position % 2 != 0;
    }
    taken[length++] = 0;
    ++position;
    return false;
  }

  /// Moves to the next path that was not taken yet; false when there is none.
  bool advance() {
    while (length > 0 && taken[length - 1]) --length;
    position = 0;
    if (length == 0) return false;
    taken[length - 1] = 1;
    return true;
  }
};

/// The result of comparing intervals: no, yes, or either. As the condition of an `if` or a loop, an undecided
/// one is explored both ways; `select`, `&&`, `||` and `!` do not fork.
struct Truth {
  enum Value : unsigned char { no, yes, either };
  Value value;
  Decisions* decisions = nullptr;

  KOKKOS_FUNCTION explicit operator bool() const {
    return value == either ? decisions->decide() : value == yes;
  }
};

KOKKOS_FORCEINLINE_FUNCTION Truth operator!(Truth a) {
  return {a.value == Truth::either ? Truth::either
          : a.value == Truth::yes  ? Truth::no
                                   : Truth::yes,
          a.decisions};
}
KOKKOS_FORCEINLINE_FUNCTION Truth operator&&(Truth a, Truth b) {
  const bool no = a.value == Truth::no || b.value == Truth::no;
  const bool yes = a.value == Truth::yes && b.value == Truth::yes;
  return {no ? Truth::no : yes ? Truth::yes : Truth::either, a.decisions ? a.decisions : b.decisions};
}
KOKKOS_FORCEINLINE_FUNCTION Truth operator||(Truth a, Truth b) { return !(!a && !b); }
KOKKOS_FORCEINLINE_FUNCTION Truth known(bool value) { return {value ? Truth::yes : Truth::no}; }
KOKKOS_FORCEINLINE_FUNCTION Truth operator&&(Truth a, bool b) { return a && known(b); }
KOKKOS_FORCEINLINE_FUNCTION Truth operator&&(bool a, Truth b) { return known(a) && b; }
KOKKOS_FORCEINLINE_FUNCTION Truth operator||(Truth a, bool b) { return a || known(b); }
KOKKOS_FORCEINLINE_FUNCTION Truth operator||(bool a, Truth b) { return known(a) || b; }

}  // namespace tessera
