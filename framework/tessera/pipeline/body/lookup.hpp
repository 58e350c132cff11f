// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

#include "tessera/pipeline/inference/interval.hpp"

namespace tessera {

/// An entry of a table of `Entries` entries that is still to be looked up; it converts to the entry. A body
/// may return it as the value of its point, so that hosts look up whole rows at a time. The table must be a
/// member of the stage's own body.
template <class T, int Entries>
struct Lookup {
  /// The number of entries of the table.
  static constexpr int entry_count = Entries;

  /// The first entry of the table.
  const T* entries;
  /// The index of the entry in the table.
  int index;

  /// Looks the entry up.
  KOKKOS_FORCEINLINE_FUNCTION operator T() const { return entries[index]; }
};

/// A Lookup stands for its entry.
template <class T, int Entries>
struct NumberOf<Lookup<T, Entries>> {
  /// The type of the entry.
  using type = T;
};

namespace detail {

/// The most entries, of one byte each, that stay in the registers of a vector unit that permutes bytes.
inline constexpr int most_permuted = 1024;

/// Sets result[k] = entries[indices[k]] for `count` points. The table has at most most_permuted entries, and
/// the indices are below `entry_count`.
void look_up(const std::uint8_t* entries, int entry_count, const std::uint16_t* indices, std::uint8_t* result,
             int count);

/// Whether hosts look up rows of points of type Stored for which the body returns a Value.
template <class Value, class Stored>
inline constexpr bool is_row_lookup = false;
template <int Entries>
inline constexpr bool is_row_lookup<Lookup<std::uint8_t, Entries>, std::uint8_t> = Entries <= most_permuted;

}  // namespace detail
}  // namespace tessera
