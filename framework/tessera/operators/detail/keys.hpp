// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "tessera/pipeline/body/functions.hpp"
#include "tessera/view/bit_cast.hpp"

namespace tessera::operators::detail {

/// The type of the keys of elements of T: integers whose order is that of the elements.
template <class T>
using Key = std::conditional_t<std::is_floating_point_v<T>, std::int32_t, T>;

/// Returns the key of an element. NaN has the greatest key, and the key of -0 is less than that of +0.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Key<T> key_of(T element) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto bits = bit_cast<std::int32_t>(element);
    const std::int32_t ordered = bits ^ ((bits >> 31) & highest<std::int32_t>);
    return element != element ? highest<std::int32_t> : ordered;
  } else {
    return element;
  }
}

/// Returns the element with this key.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T element_of(Key<T> key) {
  if constexpr (std::is_floating_point_v<T>)
    return bit_cast<T>(key ^ ((key >> 31) & highest<std::int32_t>));
  else
    return key;
}

/// Returns the greater or the lesser one of two keys.
template <bool Greatest, class K>
KOKKOS_FORCEINLINE_FUNCTION K better_key(K a, K b) {
  if constexpr (Greatest)
    return a > b ? a : b;
  else
    return a < b ? a : b;
}

/// A window around a point: all points that are at most `x` columns and `y` rows away.
struct Reach {
  int x = 1;
  int y = 1;

  /// Returns half of a window whose extents are odd.
  static Reach of(const std::array<int, 2>& window) { return {window[0] / 2, window[1] / 2}; }
  /// The points that the window has.
  KOKKOS_FUNCTION int count() const { return (2 * x + 1) * (2 * y + 1); }
  /// Returns the points that are read to compute `box`.
  Box around(const Box& box) const {
    return {{box[0].begin - x, box[0].end + x}, {box[1].begin - y, box[1].end + y}, box[2]};
  }
};

}  // namespace tessera::operators::detail
