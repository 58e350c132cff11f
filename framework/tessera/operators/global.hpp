// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/operators/point.hpp"

// Operators that look at a whole image. Some have as their result an array of one dimension, which every rank
// has. All functions throw ParameterError and OperandError (see registry.hpp).

namespace tessera::operators {

/// The number of points of each value of an image of integers, of all channels together: an array of 256 or
/// 65536 numbers of uint64.
Image histogram(Pipeline& pipeline, const Image& image, const Named& parameters = {});
/// The mean of all points, as one number of float64.
Image mean(Pipeline& pipeline, const Image& image, const Named& parameters = {});
/// The least value of all points, as one number. NaN is ignored.
Image least(Pipeline& pipeline, const Image& image, const Named& parameters = {});
/// The greatest value of all points, as one number. NaN is ignored.
Image greatest(Pipeline& pipeline, const Image& image, const Named& parameters = {});

/// Equalises the histogram of an image of integers: the share of the points that are not brighter than a
/// value, without the darkest value, is stretched to the range of the type.
Image equalise(Pipeline& pipeline, const Image& image, const Named& parameters = {});
/// Stretches an image so that its least value becomes 0, and its greatest that of the type, 1 for float32. An
/// image of one value becomes 0.
Image stretch(Pipeline& pipeline, const Image& image, const Named& parameters = {});
/// Makes an image of two values, the greatest of the type above Otsu's threshold, and 0 elsewhere.
Image otsu(Pipeline& pipeline, const Image& image, const Named& parameters = {});

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
  /// The measure.
  Metric metric = Metric::root;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// The distance of two images, as one number of float64.
Image distance(Pipeline& pipeline, const Image& image, const Image& other, const Distance& parameters = {});

}  // namespace tessera::operators
