// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"

namespace tessera::detail {

/// Rows of weighted sums (see WeightedTaps), and where everything lies that they are computed from. All
/// pointers lead to the element whose coordinates are 0 along x and, for the weights, at tap 0. These
/// elements may lie outside the memory of their arrays.
template <class In, class Weight, class Out>
struct TapRows {
  /// The elements of the first row of the input.
  const In* input;
  /// The distance between rows of the input, in elements.
  std::ptrdiff_t input_stride;
  /// The elements of the first row of the result.
  Out* output;
  /// The distance between rows of the result, in elements.
  std::ptrdiff_t output_stride;
  /// The number of rows to compute.
  int rows;
  /// The index along x of the first element of each point.
  const std::int32_t* firsts;
  /// The weights of the first element of each point.
  const Weight* weights;
  /// The distance between the weights of one element of a point and those of the next.
  std::ptrdiff_t weights_stride;
  /// The number of elements of a point.
  int taps;
  /// The distance along x between the elements of a point.
  int step;
  /// The points of a row to compute.
  Range columns;
  /// The elements of a row of the input that may be read.
  Range readable;
};

/// Computes rows of weighted sums with instructions that permute the elements of a vector, if the processor
/// has them. This takes a small part of the time of gathering the elements one by one, and gives the same
/// bits. Returns the end of the points that are computed; the others, from there to the end of
/// `rows.columns`, are left to the caller. They are all points if instruction_set() lacks the instructions.
/// They are also the points from the first vector on whose elements lie too far apart, as they do where an
/// image is made smaller.
std::int64_t sum_taps(const TapRows<float, float, float>& rows);
/// Computes such rows from elements of 16 bits, which are converted to `float`.
std::int64_t sum_taps(const TapRows<std::uint16_t, float, float>& rows);
/// Computes such rows from elements of 8 bits, which are converted to `float`.
std::int64_t sum_taps(const TapRows<std::uint8_t, float, float>& rows);
/// Computes such rows from elements of 8 bits and weights of 16 bits, in fixed-point arithmetic.
std::int64_t sum_taps(const TapRows<std::uint8_t, std::int16_t, std::int16_t>& rows);

}  // namespace tessera::detail
