// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

#include "tessera/pipeline/inference/interval.hpp"

namespace tessera {

/// An entry of a table of so many that is still to be looked up, and converts to it: what a body may return
/// as the value of its point. Hosts then look up whole rows. The table must be a member of the stage's own
/// body.
template <class T, int Entries>
struct Lookup {
  static constexpr int entry_count = Entries;

  const T* entries;
  int index;

  KOKKOS_FORCEINLINE_FUNCTION operator T() const { return entries[index]; }
};

template <class T, int Entries>
struct NumberOf<Lookup<T, Entries>> {
  using type = T;
};

namespace detail {

/// So many bytes stay in the registers of a vector unit that permutes bytes.
inline constexpr int most_permuted = 1024;

/// result[k] = entries[indices[k]], of no more than the most permuted entries; indices must be below
/// `entry_count`.
void look_up(const std::uint8_t* entries, int entry_count, const std::uint16_t* indices, std::uint8_t* result,
             int count);

template <class Value, class Stored>
inline constexpr bool is_row_lookup = false;
template <int Entries>
inline constexpr bool is_row_lookup<Lookup<std::uint8_t, Entries>, std::uint8_t> = Entries <= most_permuted;

}  // namespace detail
}  // namespace tessera
