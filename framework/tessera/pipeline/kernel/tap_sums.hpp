// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/body/weighted_taps.hpp"
#include "tessera/view/block_layout.hpp"
#include "tessera/view/for_each.hpp"

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

/// Whether vector instructions may serve a WeightedTaps with these element types.
template <class In, class Weight, class Out>
concept HasVectorSums = requires(const TapRows<In, Weight, Out>& rows) { sum_taps(rows); };

/// Computes the points of `box` of a WeightedTaps that vector instructions can compute. `readable` has the
/// elements of a row of the first input that may be read. Returns the box of the points that are left.
template <class Body, int N, class In, class Weight, class Out>
Box compute_taps(const ArrayReference* inputs, const ArrayReference& output, Box box, const Range& readable) {
  const auto row_stride = [](const ArrayReference& array) { return N > 1 ? array.strides[1] : 0; };
  TapRows<In, Weight, Out> rows{reinterpret_cast<const In*>(inputs[0].origin),
                                row_stride(inputs[0]),
                                reinterpret_cast<Out*>(output.origin),
                                row_stride(output),
                                1,
                                reinterpret_cast<const std::int32_t*>(inputs[1].origin),
                                reinterpret_cast<const Weight*>(inputs[2].origin),
                                inputs[2].strides[1],
                                Body::taps,
                                Body::step,
                                box[0],
                                readable};
  Box first_rows = box;
  if constexpr (N > 1) {
    rows.rows = static_cast<int>(box[1].size());
    first_rows[1].end = box[1].begin + 1;
  }
  std::int64_t end = box[0].end;
  for (std::int64_t plane = 0; plane < first_rows.size() / box[0].size(); ++plane) {
    TapRows<In, Weight, Out> here = rows;
    int at[max_dimensions];
    locate_row(first_rows, N, plane, at);
    for (int d = 1; d < N; ++d) {
      here.input += at[d] * inputs[0].strides[d];
      here.output += at[d] * output.strides[d];
    }
    end = std::min(end, sum_taps(here));
  }
  box[0].begin = end;
  return box;
}

}  // namespace tessera::detail
