// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// From the first to the last step that uses a piece of memory.
struct Lifetime {
  int first = 0;
  int last = -1;

  /// Takes in one more step.
  void use(int step) {
    if (last < first) first = last = step;
    first = step < first ? step : first;
    last = step > last ? step : last;
  }
};

/// Places pieces of memory so that no two overlap that are in use at the same step: the largest first, each
/// at the lowest place that is free as long as it lives. Writes the offsets, multiples of 64; returns the
/// bytes that all of them take.
std::int64_t place_by_lifetime(const std::vector<std::int64_t>& bytes, const std::vector<Lifetime>& lifetimes,
                               std::vector<std::int64_t>& offsets);

}  // namespace tessera
