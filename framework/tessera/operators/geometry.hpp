// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include "tessera/operators/registry.hpp"

// Operators that move points, or change the extents of images. The first point of a result of another size is
// (0, 0). All functions throw ParameterError and OperandError (see registry.hpp).

namespace tessera::operators {

/// The parameters of `shift`.
struct Shift {
  static constexpr bool must_be_given = true;  ///< calls give them
  std::array<int, 2> by = {0, 0};              ///< how far the image moves along x and y, in pixels
  Boundary border = Boundary::clamp;           ///< the values beyond the borders of the image
};
/// Moves an image. Its extents stay.
inline constexpr Function<Shift> shift{"shift"};

/// The directions of `flip`.
enum class Direction {
  horizontal,  ///< left and right are exchanged
  vertical,    ///< top and bottom are exchanged
  both         ///< half a turn
};
/// The parameters of `flip`.
struct Flip {
  Direction direction = Direction::horizontal;  ///< the direction of the exchange
};
/// Mirrors an image.
inline constexpr Function<Flip> flip{"flip"};

/// The parameters of `rotate`.
struct Rotate {
  int quarters = 1;  ///< the number of quarter turns clockwise, from 1 to 3
};
/// Rotates an image by quarter turns, clockwise where y points down.
inline constexpr Function<Rotate> rotate{"rotate"};

/// The parameters of `crop`.
struct Crop {
  static constexpr bool must_be_given = true;  ///< calls give them
  std::array<int, 2> offset = {0, 0};          ///< the first column and row that are kept, counted from 0
  std::array<int, 2> size = {1, 1};            ///< the numbers of columns and rows that are kept
};
/// Keeps a part of an image.
inline constexpr Function<Crop> crop{"crop"};

/// The parameters of `pad`.
struct Pad {
  /// The numbers of columns that are added on the left and on the right.
  std::array<int, 2> columns = {0, 0};
  std::array<int, 2> rows = {0, 0};      ///< the numbers of rows that are added above and below
  Boundary border = Boundary::constant;  ///< the values of the points that are added
  double value = 0;                      ///< the value, if the border is constant
};
/// Adds points around an image.
inline constexpr Function<Pad> pad{"pad"};

/// The methods of `resize`.
enum class Interpolation {
  nearest,  ///< the nearest point
  linear,   ///< between the two nearest points in each dimension
  cubic,    ///< between the four nearest points, by cubic convolution with a = -3/4
  area      ///< the mean of the area that a point of the result covers
};
/// The parameters of `resize`.
struct Resize {
  static constexpr bool must_be_given = true;    ///< calls give them
  std::array<int, 2> size = {1, 1};              ///< the extents of the result
  Interpolation method = Interpolation::linear;  ///< the method
};
/// Resamples an image to another size, along x and then along y. Centres of points lie at halves.
inline constexpr Function<Resize> resize{"resize"};

/// The parameters of operators on pyramids.
struct Pyramid {
  Boundary border = Boundary::mirror_interior;  ///< the values beyond the borders of the image
};
/// The next level of a Gaussian pyramid: smoothed by 1 4 6 4 1 in each dimension, every second point. The
/// extents are halved and rounded up.
inline constexpr Function<Pyramid> pyramid_down{"pyramid_down"};
/// The level below in a Gaussian pyramid, with twice the extents: points are interpolated by 1 6 1 and 4 4 in
/// each dimension.
inline constexpr Function<Pyramid> pyramid_up{"pyramid_up"};

}  // namespace tessera::operators
