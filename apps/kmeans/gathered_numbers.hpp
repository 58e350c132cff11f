// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kmeans {

/// A partial value of a library reduction whose result is a list of numbers, of which each is computed in one
/// of the values, and is 0 in all others.
struct GatheredNumbers {
  /// The bytes of a value.
  static std::int64_t bytes(int count) { return (std::int64_t(1) + count) * 8; }
  /// Makes a value of zeros.
  static void clear(std::byte* value, int count) {
    *reinterpret_cast<std::int64_t*>(value) = count;
    std::fill_n(of(value), count, 0.0);
  }
  /// Returns the numbers of a value.
  static double* of(std::byte* value) { return reinterpret_cast<double*>(value) + 1; }
  /// Adds the numbers of another value.
  static void join(std::byte* into, const std::byte* other) {
    const std::int64_t count = *reinterpret_cast<const std::int64_t*>(into);
    const double* const from = of(const_cast<std::byte*>(other));
    for (std::int64_t i = 0; i < count; ++i) of(into)[i] += from[i];
  }
  /// Writes the numbers as the result.
  static void store(const std::byte* value, double* result) {
    std::copy_n(of(const_cast<std::byte*>(value)), *reinterpret_cast<const std::int64_t*>(value), result);
  }
};

}  // namespace kmeans
