// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace tessera {

/// Returns 64 bits that look random and that depend on all of `bits` (D. Stafford's variant 13 of the mixing
/// function of MurmurHash3).
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t mixed_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}
/// Returns 64 bits that look random and that depend on all of a seed and three numbers, and on nothing else.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t counter_hash(std::uint64_t seed, std::int64_t a,
                                                                 std::int64_t b, std::int64_t c) {
  constexpr std::uint64_t step = 0x9E3779B97F4A7C15U;  // 2^64 over the golden ratio
  std::uint64_t bits = mixed_bits(seed + step);
  bits = mixed_bits(bits ^ (static_cast<std::uint64_t>(a) + step));
  bits = mixed_bits(bits ^ (static_cast<std::uint64_t>(b) + step));
  return mixed_bits(bits ^ (static_cast<std::uint64_t>(c) + step));
}

/// Returns a number in [0, 1) from the upper 53 bits.
KOKKOS_FORCEINLINE_FUNCTION constexpr double uniform_from_hash(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Returns a number that is about normally distributed, of mean 0 and variance 1, within 3.47: the sum of
/// four uniform numbers of 16 bits.
KOKKOS_FORCEINLINE_FUNCTION constexpr double normal_from_hash(std::uint64_t bits) {
  const auto sum = (bits & 0xFFFFU) + (bits >> 16 & 0xFFFFU) + (bits >> 32 & 0xFFFFU) + (bits >> 48);
  constexpr double mean = 2 * 65535.0;
  constexpr double deviation = 37837.22723720648;  // sqrt(4 (2^32 - 1) / 12)
  return (static_cast<double>(sum) - mean) / deviation;
}

}  // namespace tessera
