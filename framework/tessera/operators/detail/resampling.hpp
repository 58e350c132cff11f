// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/operators/detail/scratch.hpp"
#include "tessera/operators/geometry.hpp"

namespace tessera::operators::detail {

/// The points of a source, along one dimension, of which a point of the result is the weighted sum.
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
  /// Returns the share of a point of the source in the area that point x covers. It is computed in units of
  /// 1 / result, in which all borders are whole numbers.
  KOKKOS_FORCEINLINE_FUNCTION double share(int x, int number) const {
    const std::int64_t low = std::int64_t{x} * source, high = low + source;
    const std::int64_t left = std::int64_t{number} * result, right = left + result;
    const std::int64_t begins = left > low ? left : low, ends = right < high ? right : high;
    return ends > begins ? static_cast<double>(ends - begins) / source : 0.0;
  }
};

/// Returns the term of a sum. Points whose weight is 0 do not count, even if they are NaN or infinite.
KOKKOS_FORCEINLINE_FUNCTION float weighted(float weight, float value) {
  return weight == 0.0f ? 0.0f : weight * value;
}

/// A stage body: resamples an image along x, as float32.
struct ResampledAlongX {
  Resampling resampling;

  Box footprint(int, const Box& box) const {
    const int begin = static_cast<int>(box[0].begin), last = static_cast<int>(box[0].end - 1);
    return {{resampling.index(begin, 0), resampling.index(last, resampling.taps - 1) + 1}, box[1], box[2]};
  }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    float sum = 0;
    for (int tap = 0; tap < resampling.taps; ++tap)
      sum = sum + weighted(resampling.weight(x.value, tap),
                           static_cast<float>(in(Coordinate(resampling.index(x.value, tap)), y, c)));
    return sum;
  }

#ifdef TESSERA_COMPUTES_PLANES
  template <class In>
  void plane(const Plane<const In>& in, const Plane<float>& out, Range columns, Range rows) const {
    const auto width = static_cast<std::size_t>(columns.size());
    const auto taps = static_cast<std::size_t>(resampling.taps);
    struct Rows;
    int* const index = scratch<ResampledAlongX, int>(taps * width);
    float* const weight = scratch<ResampledAlongX, float>(taps * width);
    for (std::size_t tap = 0; tap < taps; ++tap)
      for (std::size_t i = 0; i < width; ++i) {
        const int x = static_cast<int>(columns.begin) + static_cast<int>(i);
        index[tap * width + i] = resampling.index(x, static_cast<int>(tap));
        weight[tap * width + i] = resampling.weight(x, static_cast<int>(tap));
      }
    const int begin = index[0], end = index[taps * width - 1] + 1;
    for (std::size_t i = 0; i < taps * width; ++i) index[i] -= begin;
    float* const row = scratch<Rows, float>(static_cast<std::size_t>(end - begin));
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      const In* const from = in.row(y) + begin;
      for (int i = 0; i < end - begin; ++i) row[i] = static_cast<float>(from[i]);
      float* const to = out.row(y) + columns.begin;
      for (std::size_t i = 0; i < width; ++i) to[i] = 0;
      for (std::size_t tap = 0; tap < taps; ++tap)
        add_tap(to, row, index + tap * width, weight + tap * width, width);
    }
  }

 private:
  static void add_tap(float* __restrict to, const float* __restrict row, const int* __restrict index,
                      const float* __restrict weight, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) to[i] = to[i] + weighted(weight[i], row[index[i]]);
  }
#endif
};

/// A stage body: resamples an image of float32 along y, and rounds it to Out.
template <class Out>
struct ResampledAlongY {
  Resampling resampling;

  Box footprint(int, const Box& box) const {
    const int begin = static_cast<int>(box[1].begin), last = static_cast<int>(box[1].end - 1);
    return {box[0], {resampling.index(begin, 0), resampling.index(last, resampling.taps - 1) + 1}, box[2]};
  }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    float sum = 0;
    for (int tap = 0; tap < resampling.taps; ++tap)
      sum = sum +
            weighted(resampling.weight(y.value, tap), in(x, Coordinate(resampling.index(y.value, tap)), c));
    return rounded<Out>(sum);
  }

#ifdef TESSERA_COMPUTES_PLANES
  void plane(const Plane<const float>& in, const Plane<Out>& out, Range columns, Range rows) const {
    const std::int64_t width = columns.size();
    float* const sums = scratch<ResampledAlongY, float>(width);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      std::fill_n(sums, width, 0.0f);
      for (int tap = 0; tap < resampling.taps; ++tap)
        add_row(sums, in.row(resampling.index(static_cast<int>(y), tap)) + columns.begin,
                resampling.weight(static_cast<int>(y), tap), width);
      Out* const to = out.row(y) + columns.begin;
      for (std::int64_t i = 0; i < width; ++i) to[i] = static_cast<Out>(rounded<Out>(sums[i]));
    }
  }

 private:
  static void add_row(float* __restrict sums, const float* __restrict row, float weight, std::int64_t width) {
    for (std::int64_t i = 0; i < width; ++i) sums[i] = sums[i] + weighted(weight, row[i]);
  }
#endif
};

}  // namespace tessera::operators::detail
