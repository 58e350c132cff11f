// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tessera/operators/registry.hpp"

// Linear operators on neighbourhoods, and gradients. Sums are of float32 and are rounded once, at the end.
// All functions throw ParameterError and OperandError (see registry.hpp).

namespace tessera::operators {

/// The parameters of `convolution`.
struct Convolution {
  Matrix kernel = {};  ///< the weights: a list of rows, with odd numbers of rows and columns, at most 31 each
  double scale = 1;    ///< a factor of the sum
  double offset = 0;   ///< the number that is added to the sum
  bool normalise = false;     ///< whether the weights are divided by their sum, which then must not be 0
  bool float_result = false;  ///< whether the result is of float32, so that it may be negative
  Boundary border = Boundary::clamp;  ///< the values beyond the borders of the image
};
/// The convolution with a matrix of weights. A kernel that is the product of a column and a row is computed
/// along x and then along y.
inline constexpr Function<Convolution> convolution{"convolution"};

/// The parameters of `gaussian`.
struct Gaussian {
  double sigma = 1;                   ///< the standard deviation in pixels
  double truncate = 4;                ///< the number of standard deviations after which the weights end
  Boundary border = Boundary::clamp;  ///< the values beyond the borders of the image
};
/// Smooths an image by a Gaussian, along x and then along y.
inline constexpr Function<Gaussian> gaussian{"gaussian"};

/// The parameters of operators on windows.
struct Window {
  std::array<int, 2> window = {3, 3};  ///< the extents of the window in pixels, which are odd
  Boundary border = Boundary::clamp;   ///< the values beyond the borders of the image
};
/// The mean of a window.
inline constexpr Function<Window> box{"box"};

/// The parts of a gradient.
enum class GradientPart {
  sum,   ///< the sum of the absolute derivatives along x and y
  root,  ///< the root of the sum of the squared derivatives
  x,     ///< the derivative along x, as float32
  y      ///< the derivative along y, as float32
};
/// The parameters of operators that compute gradients.
struct Gradient {
  GradientPart part = GradientPart::sum;  ///< the part of the gradient that is the result
  Boundary border = Boundary::clamp;      ///< the values beyond the borders of the image
};
/// The gradient by Sobel's operators, with the weights 1 2 1 along edges.
inline constexpr Function<Gradient> sobel{"sobel"};
/// The gradient by Scharr's operators, with the weights 3 10 3 along edges.
inline constexpr Function<Gradient> scharr{"scharr"};
/// The gradient by Prewitt's operators, with the weights 1 1 1 along edges.
inline constexpr Function<Gradient> prewitt{"prewitt"};

/// The parameters of `laplacian`.
struct Laplacian {
  bool diagonals = false;             ///< whether diagonal neighbours count, too
  Boundary border = Boundary::clamp;  ///< the values beyond the borders of the image
};
/// The sum of the neighbours minus the point times their number, as float32.
inline constexpr Function<Laplacian> laplacian{"laplacian"};

/// The parameters of `unsharp`.
struct Unsharp {
  double sigma = 1;                   ///< the standard deviation of the Gaussian in pixels
  double amount = 1;                  ///< how much of the difference to the smoothed image is added
  Boundary border = Boundary::clamp;  ///< the values beyond the borders of the image
};
/// Sharpens an image by unsharp masking: image + amount * (image - smoothed image).
inline constexpr Function<Unsharp> unsharp{"unsharp"};

/// The parameters of `thin_edges`.
struct ThinEdges {
  double sigma = 1;                   ///< the standard deviation of the Gaussian in pixels
  double low = 0;                     ///< smaller gradients become 0
  Boundary border = Boundary::clamp;  ///< the values beyond the borders of the image
};
/// The first steps of Canny's detector of edges: the size of the gradient of a smoothed image, where it is
/// the greatest along its direction, and 0 elsewhere, as float32.
inline constexpr Function<ThinEdges> thin_edges{"thin_edges"};

}  // namespace tessera::operators
