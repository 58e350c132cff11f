// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// A part of a pipeline's results. When the whole does not fit into memory, one band is computed at a time.
struct Band {
  /// The dimension along which the outputs, and the points that global reductions reduce, are cut.
  int dimension = 1;
  /// The number of bands.
  std::int64_t count = 1;
  /// The number of this band, from 0.
  std::int64_t index = 0;
  /// The pass over all bands, from 0. The result of a global reduction is known only after all bands, so that
  /// what needs it is computed one pass later.
  int pass = 0;

  /// Whether all members are equal.
  friend bool operator==(const Band&, const Band&) = default;
};

/// The part of each array that a plan is for: the whole array, or the points that one band needs.
class Window {
 public:
  /// The window of the whole pipeline.
  Window() = default;
  /// The window of one band. Throws InternalError when the pipeline has loops, or no such band.
  Window(const Algorithm& pipeline, const Band& band);

  /// Whether the plan is for the whole arrays.
  bool is_whole() const { return wanted_.empty(); }
  /// The band, which has no meaning if is_whole().
  const Band& band() const { return band_; }
  /// Returns the points of an array that the window is for: for an output the points to compute and write;
  /// for a global reduction the points that contribute to it; for a value all points, or none when it cannot
  /// be known yet.
  Box wanted(const Algorithm& pipeline, int array) const;
  /// Whether outputs that are whole on every rank, such as values, are written. That happens once, at the
  /// very end.
  bool writes_values() const { return writes_values_; }
  /// Whether another pass computes the array, which is a value or a global reduction.
  bool is_left_out(const Algorithm& pipeline, int array) const;
  /// Whether the array, or a part of it, is written.
  bool is_written(const Algorithm& pipeline, int array) const;
  /// Returns the points of an output that are written, among those that a rank owns.
  Box written(const Algorithm& pipeline, int array, const Box& owned) const;

 private:
  Band band_;
  /// The wanted points of each array, by its id; no entries for the whole pipeline.
  std::vector<Box> wanted_;
  bool writes_values_ = true;
};

/// Returns the number of passes over all bands: the number of global reductions in the longest chain in which
/// each waits for the one before it, plus one if an output waits for the last of such a chain; at least 1.
int passes_of(const Algorithm& pipeline);

/// Returns the largest number of bands into which the pipeline can be cut along a dimension, which is the
/// number of points there of the longest of its outputs and reduced arrays.
std::int64_t most_bands(const Algorithm& pipeline, int dimension);

}  // namespace tessera
