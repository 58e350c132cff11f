// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/operators/image.hpp"

namespace tessera::operators::detail {

/// The greatest extent of a window of weights along one dimension, unless the other extent is 1.
inline constexpr int largest_kernel = 31;
/// The greatest number of weights of a sum. Separable windows may have this extent.
inline constexpr int most_taps = largest_kernel * largest_kernel;

/// The weights of a sum of neighbours, and the places of the neighbours relative to the point.
struct Taps {
  /// The number of weights.
  int count = 0;
  /// The least and greatest offsets.
  int least_x = 0, greatest_x = 0, least_y = 0, greatest_y = 0;
  std::int16_t x[most_taps];
  std::int16_t y[most_taps];
  float weight[most_taps];

  /// Adds a neighbour, unless its weight is 0.
  void add(int dx, int dy, double factor);
  /// Returns the sum of neighbours along x or y with these weights, whose number is odd, in order.
  static Taps along(bool x, const std::vector<double>& weights);
  /// Returns the derivative along x or y of 3 x 3 neighbours, with the weights `side`, `middle`, `side` along
  /// edges.
  static Taps derivative(bool along_x, int side, int middle);
};

/// A stage body: the weighted sum of neighbours, as float32, then times `scale`, plus `offset`, and rounded
/// to Out. The terms are added in the order of the weights.
template <class Out>
struct TapSum {
  Taps taps;
  float scale = 1;
  float offset = 0;

  Box footprint(int, const Box& box) const {
    return {{box[0].begin + taps.least_x, box[0].end + taps.greatest_x},
            {box[1].begin + taps.least_y, box[1].end + taps.greatest_y},
            box[2]};
  }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    float sum = 0;
    for (int i = 0; i < taps.count; ++i)
      sum = sum + taps.weight[i] * static_cast<float>(in(x + int(taps.x[i]), y + int(taps.y[i]), c));
    return finished(sum);
  }

#ifdef TESSERA_COMPUTES_PLANES
  template <class In>
  void plane(const Plane<const In>& in, const Plane<Out>& out, Range columns, Range rows) const {
    for (std::int64_t x = columns.begin; x < columns.end; x += piece) {
      const Range part{x, std::min(x + piece, columns.end)};
      if constexpr (std::is_same_v<In, float>) {
        for (std::int64_t y = rows.begin; y < rows.end; ++y)
          row([&](int dy) { return in.row(y + dy); }, out.row(y), part);
      } else {
        converted_rows(in, out, part, rows);
      }
    }
  }

 private:
  /// The number of points of a row that are computed together. The rows that they read stay in the cache.
  static constexpr int piece = 512;
  /// The number of points that are summed in registers.
  static constexpr int block = 64;
  static constexpr int lanes = 16;
  typedef float Vector __attribute__((vector_size(lanes * sizeof(float))));

  /// Computes a part of all rows. The elements are converted to float once, and not for each weight.
  template <class In>
  void converted_rows(const Plane<const In>& in, const Plane<Out>& out, Range part, Range rows) const {
    const std::int64_t height = taps.greatest_y - taps.least_y + 1;
    const std::int64_t begin = part.begin + taps.least_x, end = part.end + taps.greatest_x;
    const std::int64_t width = end - begin;
    float* const ring = scratch<TapSum, float>(height * width);
    // The row y of the ring begins where the point (0, y) would lie.
    const auto ring_row = [&](std::int64_t y) {
      const std::int64_t number = (y - rows.begin - taps.least_y) % height;
      return ring + number * width - begin;
    };
    const auto convert = [&](std::int64_t y) {
      const In* const from = in.row(y) + begin;
      float* const to = ring_row(y) + begin;
      for (std::int64_t k = 0; k < width; ++k) to[k] = static_cast<float>(from[k]);
    };
    for (std::int64_t y = rows.begin + taps.least_y; y < rows.begin + taps.greatest_y; ++y) convert(y);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      convert(y + taps.greatest_y);
      row([&](int dy) -> const float* { return ring_row(y + dy); }, out.row(y), part);
    }
  }

  /// Computes a part of a row. `input(dy)` returns the row of the input that lies `dy` rows below.
  template <class InputRow>
  void row(const InputRow& input, Out* out, Range part) const {
    const float* from[most_taps];
    for (int i = 0; i < taps.count; ++i) from[i] = input(taps.y[i]) + taps.x[i];
    std::int64_t x = part.begin;
    for (; x + block <= part.end; x += block) points<block / lanes>(from, out, x);
    for (; x + lanes <= part.end; x += lanes) points<1>(from, out, x);
    if (x == part.end) return;
    // The last points are computed together with some that are known already.
    if (part.size() >= lanes) return points<1>(from, out, part.end - lanes);
    for (; x < part.end; ++x) {
      float sum = 0;
      for (int i = 0; i < taps.count; ++i) sum = sum + taps.weight[i] * from[i][x];
      out[x] = static_cast<Out>(finished(sum));
    }
  }

  /// Computes the points of `Vectors` vectors from `x` on.
  template <int Vectors>
  void points(const float* const* from, Out* out, std::int64_t x) const {
    Vector sums[Vectors] = {};
    for (int i = 0; i < taps.count; ++i) {
      const Vector weight = taps.weight[i] - Vector{};
      for (int v = 0; v < Vectors; ++v) {
        Vector elements;
        __builtin_memcpy(&elements, from[i] + x + v * lanes, sizeof elements);
        sums[v] = sums[v] + weight * elements;
      }
    }
    float stored[Vectors * lanes];
    __builtin_memcpy(stored, sums, sizeof stored);
    // These copies stay in registers, which stores of bytes cannot change.
    const float factor = scale, added = offset;
    for (int k = 0; k < Vectors * lanes; ++k)
      out[x + k] = static_cast<Out>(rounded<Out>(stored[k] * factor + added));
  }

 public:
#endif
  /// Returns the element for a sum.
  KOKKOS_FORCEINLINE_FUNCTION auto finished(float sum) const { return rounded<Out>(sum * scale + offset); }
};

/// Adds the weighted sum of neighbours of an image as a stage of the type `result`, which is float32 or the
/// type of the image. Float images may become integers, too.
Image add_tap_sum(const NewStage& stage, const Image& image, ElementType result, const Taps& taps,
                  double scale = 1, double offset = 0);

/// Returns the weights of a Gaussian with the standard deviation `sigma`, which end after `truncate` standard
/// deviations on each side of the middle. Their sum is 1.
std::vector<double> gaussian_weights(double sigma, double truncate = 4);

/// Adds the sums of an image along x and then along y, with these weights, times `scale` plus `offset`. The
/// first stage is called `<name>_x`. The image has the values that it needs beyond its borders.
Image add_separable(const NewStage& stage, const Image& image, ElementType result,
                    const std::vector<double>& along_x, const std::vector<double>& along_y, double scale = 1,
                    double offset = 0);

// Weighted means of bytes in fixed-point arithmetic of 16 bits. A vector has twice as many lanes of 16 bits
// as of float32. A byte v is the number 256 * (v - 128).

/// The weights of a mean in units of 2^-15, whose sum is 1.
struct FixedWeights {
  /// The greatest number of weights on each side of the middle. Rounded terms of more would add up to errors
  /// of more than a half.
  static constexpr int most = 32;
  /// The number of weights on each side of the middle.
  int radius = 0;
  std::int16_t weight[2 * most + 1];

  /// Returns true if a mean can have these weights: none is nearly 1, and none is negative.
  static bool can_have(const std::vector<double>& weights);
  /// Rounds weights whose sum is 1, and which are the same on both sides of the middle. The weight in the
  /// middle is the rest.
  static FixedWeights of(const std::vector<double>& weights);
};

/// A stage body: the weighted mean of neighbours along x or y. Out is std::int16_t, or std::uint8_t, which is
/// rounded to the nearest. Each term is rounded by multiply_rounded, and no sum leaves 16 bits, as the
/// weights are positive and add up to 1.
template <bool AlongX, class Out>
struct FixedMean {
  FixedWeights weights;

  Box footprint(int, Box box) const {
    Range& range = box[AlongX ? 0 : 1];
    range = {range.begin - weights.radius, range.end + weights.radius};
    return box;
  }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    std::int16_t sum = 0;
    for (int i = -weights.radius; i <= weights.radius; ++i)
      sum = static_cast<std::int16_t>(sum +
                                      multiply_rounded(weights.weight[i + weights.radius],
                                                       fixed(AlongX ? in(x + i, y, c) : in(x, y + i, c))));
    return finished(sum);
  }

#ifdef TESSERA_COMPUTES_PLANES
  template <class In>
  void plane(const Plane<const In>& in, const Plane<Out>& out, Range columns, Range rows) const {
    const int radius = weights.radius, reach = AlongX ? radius : 0;
    const std::int64_t width = columns.size() + 2 * reach;
    std::int16_t* const converted =
        std::is_same_v<In, std::int16_t> ? nullptr : scratch<FixedMean, std::int16_t>(width);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      const std::int16_t* row = nullptr;
      if constexpr (std::is_same_v<In, std::int16_t>) {
        row = in.row(y) + columns.begin - reach;
      } else {
        static_assert(AlongX, "rows of bytes are converted for one row of the result only");
        convert(in.row(y) + columns.begin - reach, converted, width);
        row = converted;
      }
      const std::int64_t step = AlongX ? 1 : in.stride;
      means(AlongX ? row : row - radius * step, step, out.row(y) + columns.begin, columns.size());
    }
  }

 private:
  static constexpr int block = 128;

  template <class In>
  static void convert(const In* from, std::int16_t* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = fixed(from[i]);
  }

  /// Computes a row. The first neighbour of the first point is at `from`, and neighbours lie `step` elements
  /// apart.
  void means(const std::int16_t* from, std::int64_t step, Out* out, std::int64_t count) const {
    std::int64_t x = 0;
    for (; x + block <= count; x += block) block_of_means(from + x, step, out + x, block);
    if (x < count) block_of_means(from + x, step, out + x, static_cast<int>(count - x));
  }

  [[gnu::always_inline]] void block_of_means(const std::int16_t* from, std::int64_t step, Out* out,
                                             int count) const {
    std::int16_t sums[block] = {};
    const int taps = 2 * weights.radius + 1;
    int tap = 0;
    for (; tap + 4 <= taps; tap += 4)
      add(sums, from + tap * step, step, weights.weight + tap, count, std::make_index_sequence<4>{});
    for (; tap < taps; ++tap)
      add(sums, from + tap * step, step, weights.weight + tap, count, std::make_index_sequence<1>{});
    TESSERA_VECTORISED
    for (int k = 0; k < count; ++k) out[k] = finished(sums[k]);
  }

  /// Adds some neighbours, one for each I.
  template <std::size_t... I>
  [[gnu::always_inline]] static void add(std::int16_t* sums, const std::int16_t* from, std::int64_t step,
                                         const std::int16_t* weight, int count, std::index_sequence<I...>) {
    const std::int16_t* const rows[] = {from + static_cast<std::int64_t>(I) * step...};
    const std::int16_t factors[] = {weight[I]...};
    TESSERA_VECTORISED
    for (int k = 0; k < count; ++k)
      sums[k] = static_cast<std::int16_t>((sums[k] + ... + multiply_rounded(factors[I], rows[I][k])));
  }

 public:
#endif
  /// Returns an element as a number in fixed-point arithmetic.
  template <class In>
  KOKKOS_FORCEINLINE_FUNCTION static std::int16_t fixed(In element) {
    if constexpr (std::is_same_v<In, std::int16_t>)
      return element;
    else
      return static_cast<std::int16_t>((element - 128) * 256);
  }
  /// Returns the element for a sum.
  KOKKOS_FORCEINLINE_FUNCTION static Out finished(std::int16_t sum) {
    if constexpr (std::is_same_v<Out, std::int16_t>)
      return sum;
    else
      return static_cast<Out>(min(((static_cast<int>(sum) + 128) >> 8) + 128, 255));
  }
};

/// Adds the weighted means of an image of uint8 along x, as a stage with the name `<name>_x`, and then along
/// y.
Image add_fixed_means(const NewStage& stage, const Image& image, const std::vector<double>& weights);

}  // namespace tessera::operators::detail
