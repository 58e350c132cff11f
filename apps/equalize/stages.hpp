// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace equalize {

/// The new value of each of the `Bins` values, as one line: the share of pixels that are not brighter,
/// counted from the darkest value that there is, stretched to all of T and rounded. An image of one value
/// becomes black.
template <class T, int Bins>
struct LookUp {
  template <class Line, class Counts, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const Counts& counts, Coord) const {
    auto total = counts.zero(), darkest = counts.zero();
    for (int value = 0; value < Bins; ++value) {
      const auto count = counts(value);
      darkest = tessera::select(total == 0, count, darkest);
      total = total + count;
    }
    const auto rest = tessera::cast<double>(total - darkest);
    auto so_far = counts.zero();
    for (int value = 0; value < Bins; ++value) {
      so_far = so_far + counts(value);
      const auto above =
          tessera::cast<double>(tessera::select(so_far > darkest, so_far - darkest, counts.zero()));
      const auto share = above / tessera::max(rest, 1.0);
      line(value) = tessera::cast<T>(tessera::floor(share * double(tessera::highest<T>) + 0.5));
    }
  }
};

/// The new value of a point, from the table.
struct Apply {
  template <class In, class Line, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, const Line& line, Coord x, Coord y, Rest... rest) const {
    return line(tessera::cast<int>(in(x, y, rest...)), 0);
  }
};

/// Returns the pipeline of histogram equalisation. The histogram of the whole image is a global reduction,
/// `counts`. `look_up` makes a table from it, and `equalized` applies the table. Channels share one
/// histogram.
template <class T, int N>
tessera::Pipeline make_pipeline(const tessera::Box& image) {
  constexpr int bins = int(tessera::highest<T>) + 1;
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<T, N>("input", image);
  const auto counts = pipeline.reduce("counts", tessera::Histogram<T, bins>{}, input, image);
  const auto look_up = pipeline.columns<T, 2, 0>("look_up", LookUp<T, bins>{}, bins, counts);
  pipeline.output(pipeline.stage<T, N>("equalized", Apply{}, input, look_up));
  return pipeline;
}

}  // namespace equalize
