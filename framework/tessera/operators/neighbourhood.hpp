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
  std::array<int, 2> window = {3, 3};          ///< the extents of the window in pixels, which are odd
  WindowShape shape = WindowShape::rectangle;  ///< the points of the window that count
  Boundary border = Boundary::clamp;           ///< the values beyond the borders of the image
};
/// The least value of a window.
inline constexpr Function<Morphology> erode{"erode"};
/// The greatest value of a window.
inline constexpr Function<Morphology> dilate{"dilate"};
/// Erodes and then dilates an image, which removes what is brighter and smaller than the window.
inline constexpr Function<Morphology> open{"open"};
/// Dilates and then erodes an image, which removes what is darker and smaller than the window.
inline constexpr Function<Morphology> close{"close"};
/// The difference of the greatest and the least value of a window.
inline constexpr Function<Morphology> morphological_gradient{"morphological_gradient"};
/// The difference of an image and its opening: what is brighter and smaller than the window.
inline constexpr Function<Morphology> top_hat{"top_hat"};
/// The difference of the closing of an image and the image: what is darker and smaller than the window.
inline constexpr Function<Morphology> black_hat{"black_hat"};

/// The median of a window.
inline constexpr Function<Window> median{"median"};

/// The parameters of `percentile`.
struct Percentile {
  double percent = 50;  ///< the percentage of the values of a window that are less, from 0 to 100
  std::array<int, 2> window = {3, 3};  ///< the extents of the window in pixels, which are odd
  Boundary border = Boundary::clamp;   ///< the values beyond the borders of the image
};
/// The value with a given rank in a window: of n values in ascending order, counted from 0, the one with the
/// number floor(n * percent / 100), and the last one if that is n.
inline constexpr Function<Percentile> percentile{"percentile"};

/// The variance of a window, as float32: the mean of the squares minus the square of the mean.
inline constexpr Function<Window> variance{"variance"};

/// The shapes of windows of `bilateral`: the points that count.
enum class BilateralShape {
  rectangle,  ///< all points
  ellipse     ///< the points within the ellipse whose axes are as long as the window, including its ends
};

/// The parameters of `bilateral`.
struct Bilateral {
  double contrast = 1;  ///< the standard deviation of differences of values, in the unit of the image
  double sigma = 1.5;   ///< the standard deviation of distances in pixels
  std::array<int, 2> window = {5, 5};  ///< the extents of the window in pixels, which are odd, at most 31
  BilateralShape shape = BilateralShape::rectangle;  ///< the points of the window that count
  Boundary border = Boundary::clamp;                 ///< the values beyond the borders of the image
};
/// The mean of a window, weighted by Gaussians of the distance and of the difference of values (C. Tomasi and
/// R. Manduchi, Bilateral filtering for gray and color images, 1998). Each channel is computed by itself.
inline constexpr Function<Bilateral> bilateral{"bilateral"};

}  // namespace tessera::operators
