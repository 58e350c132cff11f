// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera::cost {

/// Copies `from` to `to`, which has as many elements and does not overlap it, on the calling thread, by a
/// loop with the vectors that kernels on hosts have.
void copy_floats(std::span<const float> from, std::span<float> to);

/// Writes the sums of three neighbours each in `from` to `to`, which has two elements fewer, in the manner of
/// copy_floats. Stage bodies are more like this loop than like a copy: they read the same elements several
/// times, most of them unaligned, and compute something.
void add_neighbours(std::span<const float> from, std::span<float> to);

/// The work that multiply_and_add has done.
struct Arithmetic {
  /// The number of floating-point operations of one element.
  std::int64_t operations = 0;
  /// A number that depends on all results. It is finite for every number of turns.
  float result = 0;
};

/// Makes `turns` turns, each of which multiplies numbers of float in registers by a factor and adds a number
/// to them, on the calling thread and with the vectors that kernels on hosts have.
Arithmetic multiply_and_add(std::int64_t turns);

}  // namespace tessera::cost
