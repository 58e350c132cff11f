// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

#include "tessera/pipeline/inference/interval.hpp"

namespace tessera {

/// A table entry that is still to be looked up. It converts to the value of the entry. If a stage body
/// returns a Lookup as the value of a point, hosts can look up the entries of many points of a row together.
/// The table has `Entries` entries and must be a member of the body of the stage.
template <class T, int Entries>
struct Lookup {
  /// The number of entries of the table.
  static constexpr int entry_count = Entries;

  /// Points to the first entry of the table.
  const T* entries;
  /// The index of the entry in the table.
  int index;

  /// Looks up the entry.
  KOKKOS_FORCEINLINE_FUNCTION operator T() const { return entries[index]; }
};

/// Returns `value`, or the entry that it stands for if it is a Lookup.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V looked_up(const V& value) {
  return value;
}
template <class T, int Entries>
KOKKOS_FORCEINLINE_FUNCTION T looked_up(const Lookup<T, Entries>& value) {
  return value;
}

/// A Lookup stands for a number of the type of its entry.
template <class T, int Entries>
struct NumberOf<Lookup<T, Entries>> {
  /// The type of the entry.
  using type = T;
};

namespace detail {

/// The greatest number of entries of one byte each that fit into the vector registers of processors that can
/// permute bytes.
inline constexpr int most_permuted = 1024;

/// Sets result[k] = entries[indices[k]] for all k of [0, count). The table has `entry_count` entries, at most
/// most_permuted, and all indices are less than `entry_count`.
void look_up(const std::uint8_t* entries, int entry_count, const std::uint16_t* indices, std::uint8_t* result,
             int count);

/// Whether hosts look up the entries of many points of a row together. `Value` is the type that the body
/// returns for a point, and `Stored` is the type of the points.
template <class Value, class Stored>
inline constexpr bool is_row_lookup = false;
template <int Entries>
inline constexpr bool is_row_lookup<Lookup<std::uint8_t, Entries>, std::uint8_t> = Entries <= most_permuted;

}  // namespace detail
}  // namespace tessera
