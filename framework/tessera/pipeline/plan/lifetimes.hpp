// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// The steps, from the first to the last, that use a piece of memory. The default is no step.
struct Lifetime {
  /// The first step that uses it.
  int first = 0;
  /// The last step that uses it; less than `first` when no step does.
  int last = -1;

  /// Extends the lifetime to one more step.
  void use(int step) {
    if (last < first) first = last = step;
    first = step < first ? step : first;
    last = step > last ? step : last;
  }
};

/// Places pieces of memory, of bytes[i] bytes each, so that no two pieces that are in use at the same step
/// overlap. The largest piece is placed first, and each piece at the lowest place that is free as long as it
/// lives. Writes to `offsets` the places in bytes, which are multiples of 64, and returns the bytes that all
/// pieces take together.
std::int64_t place_by_lifetime(const std::vector<std::int64_t>& bytes, const std::vector<Lifetime>& lifetimes,
                               std::vector<std::int64_t>& offsets);

}  // namespace tessera
