// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// Which part of a pipeline's results is computed at a time when the whole does not fit into memory.
struct Band {
  /// Along which the outputs are cut, and what global reductions reduce.
  int dimension = 1;
  /// Into so many bands, of which this is number `index`.
  std::int64_t count = 1;
  std::int64_t index = 0;
  /// What needs the result of a global reduction, which has it after all bands only, comes one pass later.
  int pass = 0;

  friend bool operator==(const Band&, const Band&) = default;
};

/// What of each array a plan is for: all of it, or what one band wants.
class Window {
 public:
  /// All of all arrays.
  Window() = default;
  /// Throws InternalError when the pipeline has loops, or no such band.
  Window(const Algorithm& pipeline, const Band& band);

  bool is_whole() const { return wanted_.empty(); }
  const Band& band() const { return band_; }
  /// Of an output the points to compute and write, of a global reduction those that contribute to it, and of
  /// a value all, or none when it cannot be known yet.
  Box wanted(const Algorithm& pipeline, int array) const;
  /// Arrays that every rank has all of are written once, at the very end.
  bool writes_values() const { return writes_values_; }
  /// Whether another pass computes the array, which is a value or a global reduction.
  bool is_left_out(const Algorithm& pipeline, int array) const;
  /// Whether the array, or a part of it, is written.
  bool is_written(const Algorithm& pipeline, int array) const;
  /// The points that are written of those that a rank owns of an output.
  Box written(const Algorithm& pipeline, int array, const Box& owned) const;

 private:
  Band band_;
  /// By array.
  std::vector<Box> wanted_;
  bool writes_values_ = true;
};

/// How often all bands are gone through: once, and again for each global reduction that another one, or an
/// output, waits for.
int passes_of(const Algorithm& pipeline);

/// How many bands the pipeline can be cut into along a dimension: as many as the longest of its outputs and
/// reduced arrays has points there.
std::int64_t most_bands(const Algorithm& pipeline, int dimension);

}  // namespace tessera
