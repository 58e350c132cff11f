// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace bilateral_grid {

// The bilateral grid (J. Chen, S. Paris, F. Durand, Real-time edge-aware image processing with the bilateral
// grid, 2007). The grid is an array of (m, x, y), where m = 2 z + channel: the sum of the values in a cell,
// and their number. With m fastest a cell is a few vector registers.

/// Pixels along each side of a cell.
inline constexpr int cell = 8;
/// The number of zero bins beyond the grid on each side, which `blur_z` reads.
inline constexpr int margin = 2;
/// Pipelines are compiled for these numbers of bins of intensity. A number of bins suffices for a range_sigma
/// of 1 / (bins - 1) or more, which is 0.1, 0.05 or 0.025.
inline constexpr int fewest_bins = 11, more_bins = 21, most_bins = 41;

/// Returns a value of the image, clamped to [0, 1].
template <class V>
KOKKOS_FUNCTION auto intensity(const V& value) {
  return tessera::clamp(value, 0.0f, 1.0f);
}

/// The sum and the number of the pixels in each bin, among the 8 pixels in the rows of a cell at one x:
/// (x, cell y, m). It computes all bins at a time, so that no pixel has to find its own.
struct ColumnSums {
  float bins_per_unit;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return all(in, x, y, std::make_index_sequence<std::size_t(2 * fewest_bins)>{});
  }
  template <class In, class Coord, std::size_t... M>
  KOKKOS_FUNCTION auto all(const In& in, const Coord& x, const Coord& y, std::index_sequence<M...>) const {
    return tessera::pack(sum<static_cast<int>(M)>(in, x, y)...);
  }
  template <int M, class In, class Coord>
  KOKKOS_FUNCTION auto sum(const In& in, const Coord& x, const Coord& y) const {
    auto result = in.zero();
    for (int j = 0; j < cell; ++j) {
      const auto value = intensity(in(x, cell * y - cell / 2 + j));
      const auto bin = tessera::cast<int>(value * bins_per_unit + 0.5f);
      if constexpr (M % 2 == 0)
        result = result + tessera::select(bin == M / 2, value, 0.0f);
      else
        result = result + tessera::select(bin == M / 2, 1.0f, 0.0f);
    }
    return result;
  }
};

/// One element m of the result of ColumnSums, for any number of bins. It takes longer, as each element reads
/// all pixels again.
struct ColumnSum {
  float bins_per_unit;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord m) const {
    const auto is_value = m % 2 == 0;
    auto result = in.zero();
    for (int j = 0; j < cell; ++j) {
      const auto value = intensity(in(x, cell * y - cell / 2 + j));
      const auto bin = tessera::cast<int>(value * bins_per_unit + 0.5f);
      result = result + tessera::select(bin == m / 2, tessera::select(is_value, value, 1.0f), 0.0f);
    }
    return result;
  }
};

/// The histogram of a cell: the sums of its columns.
template <int bins>
struct Histogram {
  template <class Line, class Sums, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const Sums& sums, Coord x, Coord y) const {
    line.fill(0);
    for (int m = 0; m < 2 * bins; ++m) {
      auto sum = sums.zero();
      for (int i = 0; i < cell; ++i) sum += sums(cell * x - cell / 2 + i, y, m);
      line(2 * margin + m) = sum;
    }
  }
};

/// Returns the sum of five neighbours with the weights 1 4 6 4 1.
template <class At>
KOKKOS_FUNCTION auto binomial(const At& at) {
  return at(-2) + at(2) + 4.0f * (at(-1) + at(1)) + 6.0f * at(0);
}

/// The grid, smoothed along intensity.
struct BlurZ {
  static constexpr bool each_only = true;
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord x, Coord y) const {
    line.each([&](const auto& m) { return binomial([&](int i) { return in(m + 2 * (margin + i), x, y); }); });
  }
};
/// The grid, smoothed along x.
struct BlurX {
  static constexpr bool each_only = true;
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord x, Coord y) const {
    line.each([&](const auto& m) { return binomial([&](int i) { return in(m, x + i, y); }); });
  }
};
/// The grid, smoothed along y.
struct BlurY {
  static constexpr bool each_only = true;
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord x, Coord y) const {
    line.each([&](const auto& m) { return binomial([&](int i) { return in(m, x, y + i); }); });
  }
};

/// Returns the linear interpolation from a to b.
template <class A, class B, class T>
KOKKOS_FUNCTION auto between(const A& a, const B& b, const T& share) {
  return a * (1.0f - share) + b * share;
}
/// Returns how far a pixel lies from the corner of its cell, as a share of the side of a cell.
template <class Coord>
KOKKOS_FUNCTION auto share_of(const Coord& at) {
  return tessera::cast<float>(at % cell) * (1.0f / cell);
}

/// The grid at a row of pixels: (m, cell x, y).
struct SliceY {
  static constexpr bool each_only = true;
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& grid, Coord x, Coord y) const {
    const auto share = share_of(y);
    const auto row = y / cell;
    line.each([&](const auto& m) { return between(grid(m, x, row), grid(m, x, row + 1), share); });
  }
};

/// Returns how far up in the grid the intensity of a pixel lies, in bins.
template <class V>
KOKKOS_FUNCTION auto height_of(const V& value, float bins_per_unit) {
  return intensity(value) * bins_per_unit;
}
/// The grid at a pixel, in the two bins around its intensity: an array of (m, x, y), where m counts from the
/// lower bin. The four numbers of a pixel lie beside each other and fill a vector register.
struct SliceX {
  float bins_per_unit;

  template <class Line, class In, class Rows, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, const Rows& rows, Coord x, Coord y) const {
    const auto first = 2 * tessera::cast<int>(height_of(in(x, y), bins_per_unit));
    const auto share = share_of(x);
    const auto column = x / cell;
    line.each([&](const auto& m) {
      return between(rows(first + m, column, y), rows(first + m, column + 1, y), share);
    });
  }
};

/// The mean value near a pixel, in place and in intensity.
struct SliceZ {
  float bins_per_unit;

  template <class In, class Sampled, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Sampled& sampled, Coord x, Coord y) const {
    const auto height = height_of(in(x, y), bins_per_unit);
    const auto share = height - tessera::cast<float>(tessera::cast<int>(height));
    const auto at = [&](int m) { return sampled(m, x, y); };
    return between(at(0), at(2), share) / between(at(1), at(3), share);
  }
};

/// Returns the pipeline that smooths an image of floats except at edges higher than `range_sigma`, which is
/// 1 / (bins - 1) or more. Values are clamped to [0, 1]. The stages `sums` and `histogram` make the grid,
/// `blur_z`, `blur_x` and `blur_y` smooth it, and `rows`, `sampled` and `smoothed` sample it.
template <int bins = fewest_bins>
tessera::Pipeline make_pipeline(const tessera::Box& image, float range_sigma) {
  constexpr int histogram_extent = 2 * (margin + bins + 1 + margin);
  // The blurred grid has bins 0 to `bins`, because a sample reads the next bin, too.
  constexpr int grid_extent = 2 * (bins + 1);
  const float bins_per_unit = 1.0f / range_sigma;
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", image, tessera::Boundary::clamp);
  const auto sums = [&] {
    if constexpr (bins == fewest_bins)
      return pipeline.planes<float, 3, 2 * bins>("sums", ColumnSums{bins_per_unit}, input);
    else
      return pipeline.stage<float, 3>("sums", ColumnSum{bins_per_unit}, input);
  }();
  const auto histogram = pipeline.lines<float, 3, 0, histogram_extent>("histogram", Histogram<bins>{}, sums);
  const auto blur_z = pipeline.lines<float, 3, 0, grid_extent>("blur_z", BlurZ{}, histogram);
  const auto blur_x = pipeline.lines<float, 3, 0, grid_extent>("blur_x", BlurX{}, blur_z);
  const auto blur_y = pipeline.lines<float, 3, 0, grid_extent>("blur_y", BlurY{}, blur_x);
  const auto rows = pipeline.lines<float, 3, 0, grid_extent>("rows", SliceY{}, blur_y);
  const auto sampled = pipeline.lines<float, 3, 0, 4>("sampled", SliceX{bins_per_unit}, input, rows);
  pipeline.output(pipeline.stage<float>("smoothed", SliceZ{bins_per_unit}, input, sampled));
  return pipeline;
}

}  // namespace bilateral_grid
