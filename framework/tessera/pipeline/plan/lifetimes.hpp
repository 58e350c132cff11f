// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// The steps that use a piece of memory: all steps from `first` to `last`. Steps are numbered in the order in
/// which they run. By default no step uses the memory.
struct Lifetime {
  /// The first step that uses the memory.
  int first = 0;
  /// The last step that uses the memory. It is less than `first` if no step uses the memory.
  int last = -1;

  /// Extends the lifetime so that it contains `step`.
  void use(int step) {
    if (last < first) first = last = step;
    first = step < first ? step : first;
    last = step > last ? step : last;
  }
};

/// Places pieces of memory so that pieces that are in use at the same step do not overlap. Piece i has
/// bytes[i] bytes and the lifetime lifetimes[i]. The largest piece is placed first. Each piece is placed at
/// the lowest offset that is free during its whole lifetime. Writes the offset of each piece in bytes to
/// `offsets`; all offsets are multiples of 64. Returns the size in bytes of the memory that holds all pieces.
std::int64_t place_by_lifetime(const std::vector<std::int64_t>& bytes, const std::vector<Lifetime>& lifetimes,
                               std::vector<std::int64_t>& offsets);

}  // namespace tessera
