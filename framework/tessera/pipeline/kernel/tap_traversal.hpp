// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "tessera/pipeline/body/weighted_taps.hpp"
#include "tessera/pipeline/kernel/tap_sums.hpp"
#include "tessera/view/array_reference.hpp"

namespace tessera::detail {

/// Whether vector instructions may serve a WeightedTaps with these element types.
template <class In, class Weight, class Out>
concept HasVectorSums = requires(const TapRows<In, Weight, Out>& rows) {
  sum_taps(rows);
};

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
  std::int64_t planes = 1;
  for (int d = 2; d < N; ++d) planes *= box[d].size();
  if constexpr (N > 1) {
    rows.rows = static_cast<int>(box[1].size());
    rows.input += box[1].begin * rows.input_stride;
    rows.output += box[1].begin * rows.output_stride;
  }
  std::int64_t end = box[0].end;
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    TapRows<In, Weight, Out> here = rows;
    std::int64_t rest = plane;
    for (int d = 2; d < N; ++d) {
      const std::int64_t at = box[d].begin + rest % box[d].size();
      rest /= box[d].size();
      here.input += at * inputs[0].strides[d];
      here.output += at * output.strides[d];
    }
    end = std::min(end, sum_taps(here));
  }
  box[0].begin = end;
  return box;
}

}  // namespace tessera::detail
