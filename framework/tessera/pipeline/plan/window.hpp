// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// A part of the results of a pipeline. If the results do not fit into memory as a whole, one band is
/// computed at a time.
struct Band {
  /// The dimension along which bands cut the outputs and the points that global reductions reduce. Arrays
  /// with fewer dimensions are cut along their last dimension.
  int dimension = 1;
  /// The number of bands.
  std::int64_t count = 1;
  /// The number of this band, counted from 0.
  std::int64_t index = 0;
  /// The number of the pass over all bands, counted from 0. The result of a global reduction is known only
  /// after a pass over all bands. Stages that need the result are computed in a later pass.
  int pass = 0;
  /// Bands consist of whole units of this many points, counted from the first point of each array. Only the
  /// last unit of an array may be smaller.
  std::int64_t unit = 1;

  /// Whether all members are equal.
  friend bool operator==(const Band&, const Band&) = default;
};

/// The part of the results of a pipeline that a plan is for: all results, or those of one band. The
/// plans of all ranks have the same window.
class Window {
 public:
  /// Makes the window of plans for the whole pipeline.
  Window() = default;
  /// Makes the window of plans for one band. Throws InternalError if the pipeline has loops, or if it has no
  /// such band.
  Window(const Algorithm& pipeline, const Band& band);

  /// Whether plans for this window compute the whole arrays.
  bool is_whole() const { return wanted_.empty(); }
  /// The band that plans for this window compute. It has no meaning if is_whole() is true.
  const Band& band() const { return band_; }
  /// Returns the points of an array that all ranks together compute for this window. For an output, these are
  /// the points to compute and to write. For a global reduction, they are the points that contribute to the
  /// reduction. For a value, they are all points, or none if the value needs a global reduction whose result
  /// is not known before a later pass.
  Box wanted(const Algorithm& pipeline, ArrayId array) const;
  /// Whether plans for this window write the outputs that every rank holds as a whole, such as values. Among
  /// the windows of bands, this holds only for the last band of the last pass.
  bool writes_values() const { return writes_values_; }
  /// Whether the array is a value or a global reduction that plans for this window do not compute, usually
  /// because another pass computes it.
  bool is_left_out(const Algorithm& pipeline, ArrayId array) const;
  /// Whether plans for this window write the array or a part of it.
  bool is_written(const Algorithm& pipeline, ArrayId array) const;
  /// Returns the points of an output that a rank writes. `owned` is the box of the output that the rank owns.
  Box written(const Algorithm& pipeline, ArrayId array, const Box& owned) const;

 private:
  Band band_;
  /// The points that wanted() returns. The table is empty for the window of the whole pipeline.
  IdVector<ArrayId, Box> wanted_;
  bool writes_values_ = true;
};

/// Returns the number of passes over all bands that the pipeline needs, which is at least 1. A stage that
/// needs the result of a global reduction is computed at least one pass after this reduction.
int passes_of(const Algorithm& pipeline);

/// Returns the largest possible number of bands of the pipeline along a dimension. It is the
/// largest number of units of `unit` points along this dimension that an output, or the input of a global
/// reduction, has.
std::int64_t most_bands(const Algorithm& pipeline, int dimension, std::int64_t unit = 1);

}  // namespace tessera
