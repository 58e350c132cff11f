// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include "tessera/operators/image.hpp"
#include "tessera/operators/parameter.hpp"

// Operators that move points, or change the extents of images. The first point of a result of another size is
// (0, 0). All functions throw ParameterError and OperandError (see registry.hpp).

namespace tessera::operators {

/// The parameters of `shift`.
struct Shift {
  /// How far the image moves along x and y, in pixels.
  std::array<int, 2> by = {0, 0};
  /// The values that come in from beyond the borders of the image.
  Boundary border = Boundary::clamp;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Moves an image. Its extents stay.
Image shift(Pipeline& pipeline, const Image& image, const Shift& parameters);

/// The directions in which an image is mirrored.
enum class Direction {
  horizontal,  ///< left and right are exchanged
  vertical,    ///< top and bottom are exchanged
  both         ///< half a turn
};
/// The parameters of `flip`.
struct Flip {
  /// The direction in which the image is mirrored.
  Direction direction = Direction::horizontal;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Mirrors an image.
Image flip(Pipeline& pipeline, const Image& image, const Flip& parameters = {});

/// The parameters of `rotate`.
struct Rotate {
  /// The number of quarter turns clockwise, from 1 to 3.
  int quarters = 1;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Rotates an image by quarter turns, clockwise where y points down.
Image rotate(Pipeline& pipeline, const Image& image, const Rotate& parameters = {});

/// The parameters of `crop`.
struct Crop {
  /// The first column and row that are kept, counted from 0.
  std::array<int, 2> offset = {0, 0};
  /// The numbers of columns and rows that are kept.
  std::array<int, 2> size = {1, 1};
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Keeps a part of an image.
Image crop(Pipeline& pipeline, const Image& image, const Crop& parameters);

/// The parameters of `pad`.
struct Pad {
  /// The numbers of columns that are added on the left and on the right.
  std::array<int, 2> columns = {0, 0};
  /// The numbers of rows that are added above and below.
  std::array<int, 2> rows = {0, 0};
  /// The values of the points that are added.
  Boundary border = Boundary::constant;
  /// The value, if the border is constant.
  double value = 0;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Adds points around an image.
Image pad(Pipeline& pipeline, const Image& image, const Pad& parameters);

/// How an image is resampled.
enum class Interpolation {
  nearest,  ///< the nearest point
  linear,   ///< between the two nearest points in each dimension
  cubic,    ///< between the four nearest points, by cubic convolution with a = -3/4
  area      ///< the mean of the area that a point of the result covers
};
/// The parameters of `resize`.
struct Resize {
  /// The extents of the result.
  std::array<int, 2> size = {1, 1};
  /// How the image is resampled.
  Interpolation method = Interpolation::linear;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Resamples an image to another size, along x and then along y. Centres of points lie at halves.
Image resize(Pipeline& pipeline, const Image& image, const Resize& parameters);

/// The parameters of operators on pyramids.
struct Pyramid {
  /// The values beyond the borders of the image.
  Boundary border = Boundary::mirror_interior;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// The next level of a Gaussian pyramid: smoothed by 1 4 6 4 1 in each dimension, every second point. The
/// extents are halved and rounded up.
Image pyramid_down(Pipeline& pipeline, const Image& image, const Pyramid& parameters = {});
/// The level below in a Gaussian pyramid, with twice the extents: points are interpolated by 1 6 1 and 4 4 in
/// each dimension.
Image pyramid_up(Pipeline& pipeline, const Image& image, const Pyramid& parameters = {});

}  // namespace tessera::operators
