// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/operators/block_matching.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera::operators::detail {

/// The images and disparities that a stage of block matching compares (see match_blocks). Candidates are the
/// disparities whose errors are computed, in ascending order. The disparity of a point is one of `winners`.
/// Candidates that are no winners are neighbours of winners: their errors are computed because the errors of
/// neighbours are results, too.
struct MatchingTask {
  /// The points (x, y) of the images.
  Box image;
  /// The number of channels, 1 for images without channels.
  int channels = 1;
  ElementType type = ElementType::uint8;
  /// The number of match images, and the shift of each of them in pixels for a disparity of 1.
  int images = 0;
  int baselines[BlockMatching::most_matches] = {};
  /// True if the point x of the reference is compared with the points x - shift, and not x + shift.
  bool is_leftward = false;
  /// True if errors are sums of absolute differences, and not of squared ones.
  bool is_absolute = false;
  /// The number of points on each side of the middle of the window.
  int reach = 6;
  Range candidates;
  Range winners;
  /// True if the error of the rival is a result: the least error of the winners that differ from the best one
  /// by more than 1.
  bool has_rivals = false;

  int width() const { return static_cast<int>(image[0].size()); }
  int height() const { return static_cast<int>(image[1].size()); }
  int candidate_count() const { return static_cast<int>(candidates.size()); }

  /// Returns the column x, counted from 0 in the direction of the shift: from the right border if
  /// `is_leftward`, else from the left one.
  std::int64_t along(std::int64_t x) const { return is_leftward ? image[0].end - 1 - x : x - image[0].begin; }
  /// Returns the range of `columns` in the direction of the shift.
  Range along(Range columns) const {
    if (is_leftward) return {image[0].end - columns.end, image[0].end - columns.begin};
    return {columns.begin - image[0].begin, columns.end - image[0].begin};
  }
  /// Returns the columns of the reference that the windows of the points in `columns` cover, in the direction
  /// of the shift.
  Range window_columns(Range columns) const;
  /// Returns the columns of match image number `i`, in the direction of the shift, that are compared with the
  /// columns `columns` of the reference.
  Range match_columns(int i, Range columns) const;
  /// Returns the points (x, y) of the reference, for input -1, or of match image number `input`, that are
  /// read for the points `box`.
  Box needs(int input, const Box& box) const;
  /// Returns the greatest error that there may be, or the greatest sum on the way to errors, if that is more.
  double greatest_sum() const;
  /// Returns true if sums and keys (see MatchingStrip) fit into integers of 32 bits, in vectors of up to 64
  /// bytes.
  bool has_small_keys() const;
  /// Returns the cost of a point in operations of float (see StageKernel::operations_per_point).
  double operations_per_point() const;
};

/// The arrays of a stage of block matching.
struct MatchingArrays {
  ArrayReference reference;
  ArrayReference matches[BlockMatching::most_matches];
  /// The array of the disparities, of uint8.
  ArrayReference disparity;
  /// The arrays of the least error, of the errors of the next lower and of the next higher disparity, and of
  /// the least error of all others, all of int64. Those that are not computed have no address.
  ArrayReference errors[4];
};

/// Computes the points `box` on the calling thread.
void match(const MatchingTask& task, const MatchingArrays& arrays, const Box& box);

/// Returns the bytes of memory that `match` takes for itself.
std::int64_t matching_bytes(const MatchingTask& task);

}  // namespace tessera::operators::detail
