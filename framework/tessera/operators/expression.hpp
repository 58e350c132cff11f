// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "tessera/operators/image.hpp"

namespace tessera::operators {

/// The parameters of `expression`.
struct ExpressionParameters {
  /// The type of the result: uint8, uint16 or float32. Results of integer types are rounded to the nearest
  /// integer, where halves become the greater one, and limited to the range of the type. NaN becomes 0.
  ElementType type = ElementType::float32;
  /// The points of the result, if the expression names no images.
  Box domain = {};
  /// The name of the stage.
  std::string name = "expression";
};

/// Computes an arithmetic expression at each point, such as `clamp(1.5 * a - b, 0, 255)`
/// (see expressions::Expression for all that it may have). `images` has the images by the names that stand
/// for them in the expression. All images have the same points. An image without channels may be combined
/// with images that have channels, and counts for each channel. A result of a global operator with a single
/// element is a number. All arithmetic is that of float, and the operations of an expression are computed
/// together, row by row. Throws expressions::ExpressionError, which tells the column, if the expression has
/// an error, names an image that is not in `images`, or if the images have not the same points.
Image expression(Pipeline& pipeline, const std::string& text, const std::map<std::string, Image>& images,
                 const ExpressionParameters& parameters = {});

/// Computes an arithmetic expression of numbers as a condition: a value of one element, which every rank
/// computes for itself. `numbers` are results of global operators with a single element. The value may be the
/// condition of a loop. It is 1 if the expression is not 0, and 0 otherwise. Throws
/// expressions::ExpressionError as `expression` does, if an array is no number, and if the expression names
/// no numbers, or has coordinates or extents.
Array<std::uint8_t, 1> condition(Pipeline& pipeline, const std::string& text,
                                 const std::map<std::string, Image>& numbers, const std::string& name);

/// Declares an input image with 2 or 3 dimensions. Beyond its borders in x and y it has the nearest points of
/// the borders. If operators do not take the type of the image, the result is the image as float32, which a
/// stage with the name `<name>_float32` computes.
Image input(Pipeline& pipeline, const std::string& name, ElementType type, const Box& domain);

}  // namespace tessera::operators
