// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/operators/registry.hpp"

// Operators that look at a whole image. Some have as their result an array of one dimension, which every rank
// has. All functions throw ParameterError and OperandError (see registry.hpp).

namespace tessera::operators {

/// The number of points of each value of an image of integers, of all channels together: an array of 256 or
/// 65536 numbers of uint64.
inline constexpr Function<NoParameters> histogram{"histogram"};
/// The mean of all points, as one number of float64.
inline constexpr Function<NoParameters> mean{"mean"};
/// The least value of all points, as one number. NaN is ignored, and if all points are NaN, it is infinity.
inline constexpr Function<NoParameters> least{"least"};
/// The greatest value of all points, as one number. NaN is ignored, and if all points are NaN, it is minus
/// infinity.
inline constexpr Function<NoParameters> greatest{"greatest"};

/// Equalises the histogram of an image of integers: the share of the points that are not brighter than a
/// value, without the darkest value, is stretched to the range of the type.
inline constexpr Function<NoParameters> equalise{"equalise"};
/// Stretches an image so that its least value becomes 0, and its greatest that of the type, 1 for float32. An
/// image of one value becomes 0.
inline constexpr Function<NoParameters> stretch{"stretch"};
/// Makes an image of two values, the greatest of the type above Otsu's threshold, and 0 elsewhere.
inline constexpr Function<NoParameters> otsu{"otsu"};

/// Measures of the distance of two images.
enum class Metric {
  mean_absolute,  ///< the mean of the absolute differences
  mean_square,    ///< the mean of the squared differences
  root,           ///< the root of the mean of the squared differences
  greatest,       ///< the greatest absolute difference
  psnr            ///< the peak signal-to-noise ratio in dB
};
/// The parameters of `distance`.
struct Distance {
  Metric metric = Metric::root;  ///< the measure
};
/// The distance of two images, as one number of float64.
inline constexpr Function<Distance, 2> distance{"distance"};

}  // namespace tessera::operators
