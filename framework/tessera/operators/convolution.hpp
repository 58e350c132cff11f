// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tessera/operators/image.hpp"
#include "tessera/operators/parameter.hpp"

// Linear operators on neighbourhoods, and gradients. Sums are of float32 and are rounded once, at the end.
// All functions throw ParameterError and OperandError (see registry.hpp).

namespace tessera::operators {

/// The parameters of `convolution`.
struct Convolution {
  /// The weights: a list of rows, with odd numbers of rows and columns, at most 31 each.
  Matrix kernel = {};
  /// A factor of the sum.
  double scale = 1;
  /// The number that is added to the sum.
  double offset = 0;
  /// Whether the weights are divided by their sum, which then must not be 0.
  bool normalise = false;
  /// Whether the result is of float32, so that it may be negative.
  bool float_result = false;
  /// The values beyond the borders of the image.
  Boundary border = Boundary::clamp;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// The convolution with a matrix of weights. A kernel that is the product of a column and a row is computed
/// along x and then along y.
Image convolution(Pipeline& pipeline, const Image& image, const Convolution& parameters);

/// The parameters of `gaussian`.
struct Gaussian {
  /// The standard deviation in pixels.
  double sigma = 1;
  /// The number of standard deviations after which the weights end.
  double truncate = 4;
  /// The values beyond the borders of the image.
  Boundary border = Boundary::clamp;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Smooths an image by a Gaussian, along x and then along y.
Image gaussian(Pipeline& pipeline, const Image& image, const Gaussian& parameters = {});

/// The parameters of operators on windows.
struct Window {
  /// The extents of the window in pixels, which are odd.
  std::array<int, 2> window = {3, 3};
  /// The values beyond the borders of the image.
  Boundary border = Boundary::clamp;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// The mean of a window.
Image box(Pipeline& pipeline, const Image& image, const Window& parameters = {});

/// The parts of a gradient.
enum class GradientPart {
  sum,   ///< the sum of the absolute derivatives along x and y
  root,  ///< the root of the sum of the squared derivatives
  x,     ///< the derivative along x, as float32
  y      ///< the derivative along y, as float32
};
/// The parameters of operators that compute gradients.
struct Gradient {
  /// The part of the gradient that is the result.
  GradientPart part = GradientPart::sum;
  /// The values beyond the borders of the image.
  Boundary border = Boundary::clamp;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// The gradient by Sobel's operators, with the weights 1 2 1 along edges.
Image sobel(Pipeline& pipeline, const Image& image, const Gradient& parameters = {});
/// The gradient by Scharr's operators, with the weights 3 10 3 along edges.
Image scharr(Pipeline& pipeline, const Image& image, const Gradient& parameters = {});
/// The gradient by Prewitt's operators, with the weights 1 1 1 along edges.
Image prewitt(Pipeline& pipeline, const Image& image, const Gradient& parameters = {});

/// The parameters of `laplacian`.
struct Laplacian {
  /// Whether diagonal neighbours count, too.
  bool diagonals = false;
  /// The values beyond the borders of the image.
  Boundary border = Boundary::clamp;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// The sum of the neighbours minus the point times their number, as float32.
Image laplacian(Pipeline& pipeline, const Image& image, const Laplacian& parameters = {});

/// The parameters of `unsharp`.
struct Unsharp {
  /// The standard deviation of the Gaussian in pixels.
  double sigma = 1;
  /// How much of the difference to the smoothed image is added.
  double amount = 1;
  /// The values beyond the borders of the image.
  Boundary border = Boundary::clamp;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Sharpens an image by unsharp masking: image + amount * (image - smoothed image).
Image unsharp(Pipeline& pipeline, const Image& image, const Unsharp& parameters = {});

/// The parameters of `thin_edges`.
struct ThinEdges {
  /// The standard deviation of the Gaussian in pixels.
  double sigma = 1;
  /// Smaller gradients become 0.
  double low = 0;
  /// The values beyond the borders of the image.
  Boundary border = Boundary::clamp;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// The first steps of Canny's detector of edges: the size of the gradient of a smoothed image, where it is
/// the greatest along its direction, and 0 elsewhere, as float32.
Image thin_edges(Pipeline& pipeline, const Image& image, const ThinEdges& parameters = {});

}  // namespace tessera::operators
