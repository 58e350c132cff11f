// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/operators/image.hpp"
#include "tessera/operators/registry.hpp"

namespace tessera::operators {

/// The direction from a point of the reference to the point of a match image that it is compared with.
enum class ShiftDirection {
  right,  ///< the point lies at x + baseline * disparity
  left    ///< the point lies at x - baseline * disparity
};

/// The error that the difference of two values adds.
enum class MatchingCost {
  squared,  ///< its square
  absolute  ///< its absolute value
};

/// The errors that a stage of block matching has as results, beside the disparities.
enum class MatchingErrors {
  none,             ///< none
  least,            ///< the error of the disparity that was found, which is the least
  with_neighbours,  ///< also the errors of the next lower and of the next higher disparity
  with_rival,       ///< the least error, and that of the other disparities which are no neighbours
  all               ///< all of them
};

/// The parameters of block matching.
struct BlockMatching {
  /// The greatest number of match images.
  static constexpr int most_matches = 8;
  /// The greatest number of disparities.
  static constexpr int most_disparities = 256;
  /// The greatest extent of a window.
  static constexpr int most_window = 31;
  /// The greatest baseline.
  static constexpr int greatest_baseline = 1024;
  /// All errors are less than this. They are added as doubles, which are exact up to 2^53, and sums are
  /// multiplied by 8.
  static constexpr std::int64_t errors_end = std::int64_t(1) << 49;
  /// The error of the rival of a disparity that has none. It is greater than all errors.
  static constexpr std::int64_t no_rival = std::int64_t(1) << 53;

  /// For each match image, its shift for a disparity of 1. This is a number of pixels, at least 1.
  std::vector<int> baselines;
  /// The direction of the shift.
  ShiftDirection direction = ShiftDirection::right;
  /// The kind of errors.
  MatchingCost cost = MatchingCost::squared;
  /// The extent of the square window in pixels, which is odd.
  int window = 13;
  /// The number of disparities: 0 to disparities - 1.
  int disparities = 16;
  /// The disparities that may become the result.
  Range block = {0, 16};
  /// The errors that are results.
  MatchingErrors errors = MatchingErrors::none;
  /// True if the errors of neighbours are also those of disparities beside the block. If not, they are 0
  /// there, and blocks of whole vectors take less time.
  bool has_outer_neighbours = true;
};

/// The results of block matching. Errors that are no results have the id -1.
struct MatchedImages {
  /// The best disparity of each point.
  Array<std::uint8_t, 2> disparity;
  /// Its error.
  Array<std::int64_t, 2> error;
  /// The error of the disparity below, or 0 if that is no disparity.
  Array<std::int64_t, 2> error_below;
  /// The error of the disparity above, or 0 if that is no disparity.
  Array<std::int64_t, 2> error_above;
  /// The least error of the disparities of the block that differ from the best one by more than 1, or
  /// BlockMatching::no_rival if there are none.
  Array<std::int64_t, 2> error_rival;
};

/// Finds the disparity of each point of a reference image among match images, which are shifted by multiples
/// of the disparity. The error of a disparity is the sum over the points of a window, over the match images
/// and over the channels, of the squared or absolute differences between the reference and the shifted match
/// image. Where a shift leads beyond the border of a match image, its value at the border counts. Where the
/// window reaches beyond the reference, the differences at the border count again. The best disparity has the
/// least error; of several with the least error it is the least. All sums are exact, so that each point
/// has the same bits in whatever box it is computed.
///
/// The images are of uint8 or uint16, of the same type and with the same points. `names` has a name for the
/// disparity, and for each error that is a result, in the order of MatchedImages. Schedules refer to the
/// stage by the first name. Consumers may read only points of the image. Throws ParameterError and
/// OperandError if parameters or images do not fit.
MatchedImages match_blocks(Pipeline& pipeline, const std::vector<std::string>& names, const Image& reference,
                           const std::vector<Image>& matches, const BlockMatching& parameters);

}  // namespace tessera::operators
