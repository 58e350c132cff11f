// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/operators/geometry.hpp"
#include "tessera/pipeline/kernel/tap_sums.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::operators::detail {

/// The points of a source, along one dimension, whose weighted sum is a point of the result.
struct Resampling {
  /// The first point of the source, and their number.
  int begin = 0;
  int source = 1;
  /// The number of points of the result.
  int result = 1;
  Interpolation method = Interpolation::linear;
  /// The number of points of the source for a point of the result.
  int taps = 1;

  /// Makes the resampling of the points `from` to `to` points.
  static Resampling of(Range from, int to, Interpolation method);

  bool operator==(const Resampling&) const = default;

  /// Returns the number of the first point of the source for point x, which may lie beyond the source.
  KOKKOS_FORCEINLINE_FUNCTION int first(int x) const {
    const double position = (x + 0.5) * source / result;
    switch (method) {
      case Interpolation::linear:
        return whole(position - 0.5);
      case Interpolation::cubic:
        return whole(position - 0.5) - 1;
      case Interpolation::area:
        return static_cast<int>(static_cast<std::int64_t>(x) * source / result);
      default:
        return whole(position);
    }
  }
  /// Returns the coordinate of tap `tap` of point x. Beyond the source it is the nearest point.
  KOKKOS_FORCEINLINE_FUNCTION int index(int x, int tap) const {
    const int number = first(x) + tap;
    return begin + (number < 0 ? 0 : number >= source ? source - 1 : number);
  }
  /// Returns the points of the source that some points of the result are made of.
  Range sources(const Range& points) const {
    return {index(static_cast<int>(points.begin), 0), index(static_cast<int>(points.end - 1), taps - 1) + 1};
  }
  /// Returns the weight of tap `tap` of point x.
  KOKKOS_FORCEINLINE_FUNCTION float weight(int x, int tap) const {
    if (method == Interpolation::nearest) return 1.0f;
    if (method == Interpolation::area) return static_cast<float>(share(x, first(x) + tap));
    const double distance = (x + 0.5) * source / result - 0.5 - (first(x) + tap);
    const double t = distance < 0 ? -distance : distance;
    return static_cast<float>(method == Interpolation::linear ? 1 - t : cubic(t));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static int whole(double position) {
    const int truncated = static_cast<int>(position);
    return truncated > position ? truncated - 1 : truncated;
  }
  /// The kernel of cubic convolution (R. G. Keys, Cubic convolution interpolation for digital image
  /// processing, 1981) with a = -3/4.
  KOKKOS_FORCEINLINE_FUNCTION static double cubic(double t) {
    constexpr double a = -0.75;
    if (t < 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
    return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
  }
  /// Returns the share of a point of the source in the area that point x covers. The unit of the computation
  /// is 1 / result, so that all borders are whole numbers.
  KOKKOS_FORCEINLINE_FUNCTION double share(int x, int number) const {
    const std::int64_t low = std::int64_t{x} * source, high = low + source;
    const std::int64_t left = std::int64_t{number} * result, right = left + result;
    const std::int64_t begins = left > low ? left : low, ends = right < high ? right : high;
    return ends > begins ? static_cast<double>(ends - begins) / source : 0.0;
  }
};

/// The sum of no terms: any number stays as it is when it is added to -0.
inline constexpr float no_terms = -0.0f;

/// Returns the term of a sum. Points whose weight is 0 do not count, even if they are NaN or infinite.
KOKKOS_FORCEINLINE_FUNCTION float weighted(float weight, float value) {
  return weight == 0.0f ? no_terms : weight * value;
}

#ifdef TESSERA_COMPUTES_PLANES
/// The indices and the weights of all taps, one tap after the other, each for some points. A thread keeps
/// some tables, because most tiles have the same columns as other tiles before.
struct TapTable {
  Resampling resampling;
  Range points{0, 0};
  std::vector<int> index;
  std::vector<float> weight;
  /// True if some weights are 0.
  bool has_zeros = false;

  /// Returns a table that has `points`. It is valid until the next call of the thread.
  static const TapTable& of(const Resampling& resampling, const Range& points) {
    static thread_local std::array<TapTable, 4> tables;
    static thread_local std::size_t oldest = 0;
    const auto known = std::ranges::find(tables, resampling, &TapTable::resampling);
    TapTable& table = known != tables.end() ? *known : tables[oldest++ % tables.size()];
    if (known == tables.end() || table.points.empty())
      table.make(resampling, points);
    else if (points.begin < table.points.begin || points.end > table.points.end)
      table.make(resampling,
                 {std::min(points.begin, table.points.begin), std::max(points.end, table.points.end)});
    return table;
  }

  /// Returns the place of tap `tap` of point x.
  std::size_t at(int tap, std::int64_t x) const {
    return static_cast<std::size_t>(tap * points.size() + x - points.begin);
  }

 private:
  void make(const Resampling& of_resampling, const Range& of_points) {
    resampling = of_resampling;
    points = of_points;
    const auto count = static_cast<std::size_t>(resampling.taps * points.size());
    index.resize(count);
    weight.resize(count);
    for (int tap = 0; tap < resampling.taps; ++tap)
      for (std::int64_t x = points.begin; x < points.end; ++x) {
        index[at(tap, x)] = resampling.index(static_cast<int>(x), tap);
        weight[at(tap, x)] = resampling.weight(static_cast<int>(x), tap);
      }
    has_zeros = std::ranges::find(weight, 0.0f) != weight.end();
  }
};
#endif

/// A stage body: resamples an image along x, as float32.
struct ResampledAlongX {
  Resampling resampling;

  Box footprint(int, const Box& box) const { return {resampling.sources(box[0]), box[1], box[2]}; }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    float sum = no_terms;
    for (int tap = 0; tap < resampling.taps; ++tap)
      sum = sum + weighted(resampling.weight(x.value, tap),
                           static_cast<float>(in(Coordinate(resampling.index(x.value, tap)), y, c)));
    return sum;
  }

#ifdef TESSERA_COMPUTES_PLANES
  template <class In>
  void plane(const Plane<const In>& in, const Plane<float>& out, Range columns, Range rows) const {
    const TapTable& table = TapTable::of(resampling, columns);
    // Where weights are 0, elements may be NaN, and sums of negative terms may become another zero.
    const bool has_products =
        !table.has_zeros || (std::is_integral_v<In> && resampling.method == Interpolation::linear);
    const Range inner = has_products ? inner_columns(columns) : Range{columns.begin, columns.begin};
    add_taps(in, out, {columns.begin, inner.begin}, rows, table);
    add_taps(in, out, {permuted(in, out, inner, columns, rows, table), columns.end}, rows, table);
  }

 private:
  /// Returns the points of `columns` whose taps all lie in the source.
  Range inner_columns(Range columns) const {
    Range inner = columns;
    while (!inner.empty() && resampling.first(static_cast<int>(inner.begin)) < 0) ++inner.begin;
    while (!inner.empty() &&
           resampling.first(static_cast<int>(inner.end - 1)) + resampling.taps > resampling.source)
      --inner.end;
    return inner;
  }

  /// Computes the points `inner` of `columns`, whose taps lie in the source, by permutations of vectors.
  /// Returns the end of the points that are computed.
  template <class In>
  std::int64_t permuted(const Plane<const In>& in, const Plane<float>& out, Range inner, Range columns,
                        Range rows, const TapTable& table) const {
    if (inner.empty()) return inner.begin;
    const std::int64_t first = table.index[table.at(0, columns.begin)];
    const std::int64_t last = table.index[table.at(resampling.taps - 1, columns.end - 1)];
    return tessera::detail::sum_taps(
        tessera::detail::TapRows<In, float, float>{.input = in.row(rows.begin),
                                                   .input_stride = in.stride,
                                                   .output = out.row(rows.begin),
                                                   .output_stride = out.stride,
                                                   .rows = static_cast<int>(rows.size()),
                                                   .firsts = table.index.data() - table.points.begin,
                                                   .weights = table.weight.data() - table.points.begin,
                                                   .weights_stride = table.points.size(),
                                                   .taps = resampling.taps,
                                                   .step = 1,
                                                   .columns = inner,
                                                   .readable = {first, last + 1}});
  }

  /// Computes points one tap after the other.
  template <class In>
  void add_taps(const Plane<const In>& in, const Plane<float>& out, Range columns, Range rows,
                const TapTable& table) const {
    if (columns.empty()) return;
    const int begin = table.index[table.at(0, columns.begin)];
    const int end = table.index[table.at(resampling.taps - 1, columns.end - 1)] + 1;
    const auto width = static_cast<std::size_t>(columns.size());
    struct Rows;
    float* const row = scratch<Rows, float>(end - begin);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      const In* const from = in.row(y) + begin;
      for (int i = 0; i < end - begin; ++i) row[i] = static_cast<float>(from[i]);
      float* const to = out.row(y) + columns.begin;
      for (std::size_t i = 0; i < width; ++i) to[i] = no_terms;
      for (int tap = 0; tap < resampling.taps; ++tap)
        add_tap(to, row, begin, table.index.data() + table.at(tap, columns.begin),
                table.weight.data() + table.at(tap, columns.begin), width);
    }
  }

  static void add_tap(float* __restrict to, const float* __restrict row, int begin,
                      const int* __restrict index, const float* __restrict weight, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) to[i] = to[i] + weighted(weight[i], row[index[i] - begin]);
  }
#endif
};

/// A stage body: resamples an image of float32 along y, and rounds it to Out.
template <class Out>
struct ResampledAlongY {
  Resampling resampling;

  Box footprint(int, const Box& box) const { return {box[0], resampling.sources(box[1]), box[2]}; }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    float sum = no_terms;
    for (int tap = 0; tap < resampling.taps; ++tap)
      sum = sum +
            weighted(resampling.weight(y.value, tap), in(x, Coordinate(resampling.index(y.value, tap)), c));
    return rounded<Out>(sum);
  }

#ifdef TESSERA_COMPUTES_PLANES
  void plane(const Plane<const float>& in, const Plane<Out>& out, Range columns, Range rows) const {
    const float** const from = scratch<ResampledAlongY, const float*>(resampling.taps);
    float* const weight = scratch<ResampledAlongY, float>(resampling.taps);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      std::size_t count = 0;  // of weights that are not 0
      for (int tap = 0; tap < resampling.taps; ++tap) {
        weight[count] = resampling.weight(static_cast<int>(y), tap);
        from[count] = in.row(resampling.index(static_cast<int>(y), tap)) + columns.begin;
        if (weight[count] != 0.0f) ++count;
      }
      Out* const to = out.row(y) + columns.begin;
      if (count == 2)
        sum_rows(from, weight, to, columns.size(), std::make_index_sequence<2>{});
      else if (count == 4)
        sum_rows(from, weight, to, columns.size(), std::make_index_sequence<4>{});
      else
        sum_rows(from, weight, count, to, columns.size());
    }
  }

 private:
  /// Computes a row from one row for each index.
  template <std::size_t... Tap>
  static void sum_rows(const float* const* rows, const float* weights, Out* out, std::int64_t width,
                       std::index_sequence<Tap...>) {
    const float* const from[] = {rows[Tap]...};
    const float weight[] = {weights[Tap]...};
    TESSERA_VECTORISED
    for (std::int64_t i = 0; i < width; ++i)
      out[i] = static_cast<Out>(rounded<Out>((no_terms + ... + (weight[Tap] * from[Tap][i]))));
  }
  /// Computes a row from `count` rows.
  static void sum_rows(const float* const* rows, const float* weights, std::size_t count, Out* out,
                       std::int64_t width) {
    constexpr int block = 64;
    for (std::int64_t x = 0; x < width; x += block) {
      const int points = static_cast<int>(std::min<std::int64_t>(block, width - x));
      float sums[block];
      std::fill_n(sums, block, no_terms);
      for (std::size_t k = 0; k < count; ++k) {
        const float* const from = rows[k] + x;
        const float weight = weights[k];
        for (int i = 0; i < points; ++i) sums[i] = sums[i] + weight * from[i];
      }
      for (int i = 0; i < points; ++i) out[x + i] = static_cast<Out>(rounded<Out>(sums[i]));
    }
  }
#endif
};

/// A stage body: the nearest points.
template <class T>
struct NearestPoints {
  Resampling along_x;
  Resampling along_y;

  Box footprint(int, const Box& box) const {
    return {along_x.sources(box[0]), along_y.sources(box[1]), box[2]};
  }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    return in(Coordinate(along_x.index(x.value, 0)), Coordinate(along_y.index(y.value, 0)), c);
  }

#ifdef TESSERA_COMPUTES_PLANES
  void plane(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    const std::int64_t width = columns.size();
    const TapTable& table = TapTable::of(along_x, columns);
    const int* const index = table.index.data() + table.at(0, columns.begin);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      const int number = along_y.index(static_cast<int>(y), 0);
      T* const to = out.row(y) + columns.begin;
      if (y > rows.begin && number == along_y.index(static_cast<int>(y - 1), 0)) {
        std::copy_n(out.row(y - 1) + columns.begin, width, to);
        continue;
      }
      const T* const from = in.row(number);
      for (std::int64_t i = 0; i < width; ++i) to[i] = from[index[i]];
    }
  }
#endif
};

}  // namespace tessera::operators::detail
