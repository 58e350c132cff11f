// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/operators/detail/plane.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/view/instruction_sets.hpp"

// Weighted means of bytes in fixed-point arithmetic of 16 bits, whose lanes are twice as many as those of
// float32. A byte v is the number 256 * (v - 128).

namespace tessera::operators::detail {

/// The weights of a mean in units of 2^-15, whose sum is 1.
struct FixedWeights {
  /// The greatest number of weights on each side of the middle. Rounded terms of more would add up to errors
  /// of more than a half.
  static constexpr int most = 32;
  /// The number of weights on each side of the middle.
  int radius = 0;
  std::int16_t weight[2 * most + 1];

  /// Whether a mean can have these weights: there is no greatest one that is nearly 1, and none is negative.
  static bool can_have(const std::vector<double>& weights);
  /// Rounds weights whose sum is 1, and which are the same on both sides of the middle. The middle one
  /// becomes what the others leave.
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
Image add_fixed_means(Pipeline& pipeline, const std::string& name, const Image& image,
                      const std::vector<double>& weights);

}  // namespace tessera::operators::detail
