// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/operators/convolution.hpp"

// Nonlinear operators on neighbourhoods. Where they order values, NaN counts as greater than all numbers, and
// -0 as less than +0. All functions throw ParameterError and OperandError (see registry.hpp).

namespace tessera::operators {

/// The shapes of structuring elements: the points of a window that count.
enum class WindowShape {
  rectangle,  ///< all points
  ellipse,    ///< the points of an ellipse, as OpenCV has them
  cross       ///< the points of the column and of the row in the middle
};
/// The parameters of morphological operators.
struct Morphology {
  /// The extents of the window in pixels, which are odd.
  std::array<int, 2> window = {3, 3};
  /// The points of the window that count.
  WindowShape shape = WindowShape::rectangle;
  /// The values beyond the borders of the image.
  Boundary border = Boundary::clamp;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// The least value of a window.
Image erode(Pipeline& pipeline, const Image& image, const Morphology& parameters = {});
/// The greatest value of a window.
Image dilate(Pipeline& pipeline, const Image& image, const Morphology& parameters = {});
/// Erodes and then dilates an image, which removes what is brighter and smaller than the window.
Image open(Pipeline& pipeline, const Image& image, const Morphology& parameters = {});
/// Dilates and then erodes an image, which removes what is darker and smaller than the window.
Image close(Pipeline& pipeline, const Image& image, const Morphology& parameters = {});
/// The difference of the greatest and the least value of a window.
Image morphological_gradient(Pipeline& pipeline, const Image& image, const Morphology& parameters = {});
/// The difference of an image and its opening: what is brighter and smaller than the window.
Image top_hat(Pipeline& pipeline, const Image& image, const Morphology& parameters = {});
/// The difference of the closing of an image and the image: what is darker and smaller than the window.
Image black_hat(Pipeline& pipeline, const Image& image, const Morphology& parameters = {});

/// The median of a window.
Image median(Pipeline& pipeline, const Image& image, const Window& parameters = {});

/// The parameters of `percentile`.
struct Percentile {
  /// The percentage of the values of a window that are less, from 0 to 100.
  double percent = 50;
  /// The extents of the window in pixels, which are odd.
  std::array<int, 2> window = {3, 3};
  /// The values beyond the borders of the image.
  Boundary border = Boundary::clamp;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// The value with a given rank in a window: of n values in ascending order, counted from 0, the one with the
/// number floor(n * percent / 100), and the last one if that is n.
Image percentile(Pipeline& pipeline, const Image& image, const Percentile& parameters);

/// The variance of a window, as float32: the mean of the squares minus the square of the mean.
Image variance(Pipeline& pipeline, const Image& image, const Window& parameters = {});

/// The shapes of windows of `bilateral`: the points that count.
enum class BilateralShape {
  rectangle,  ///< all points
  ellipse     ///< the points within the ellipse whose axes are as long as the window, including its ends
};

/// The parameters of `bilateral`.
struct Bilateral {
  /// The standard deviation of differences of values, in the unit of the image.
  double contrast = 1;
  /// The standard deviation of distances in pixels.
  double sigma = 1.5;
  /// The extents of the window in pixels, which are odd, at most 31.
  std::array<int, 2> window = {5, 5};
  /// The points of the window that count.
  BilateralShape shape = BilateralShape::rectangle;
  /// The values beyond the borders of the image.
  Boundary border = Boundary::clamp;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// The mean of a window, weighted by Gaussians of the distance and of the difference of values (C. Tomasi and
/// R. Manduchi, Bilateral filtering for gray and color images, 1998). Each channel is computed by itself.
Image bilateral(Pipeline& pipeline, const Image& image, const Bilateral& parameters);

}  // namespace tessera::operators
