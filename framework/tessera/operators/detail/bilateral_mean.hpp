// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "tessera/domain/box.hpp"
#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/operators/neighbourhood.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::operators::detail {

/// The greatest number of columns or rows on each side of the middle of a window of `bilateral`.
inline constexpr int most_bilateral_reach = 15;

/// Returns 2^y for y <= 0, with an error below 2e-7. If y is less than -86.5 or NaN, it counts as -86.5.
/// Compilers vectorise it, and it has the same bits everywhere. The sum of y and a large number has the
/// nearest integer in its last bits, from where it goes to the exponent, and the rest is a polynomial.
KOKKOS_FORCEINLINE_FUNCTION float power_of_two(float y) {
  const float limited = y > -86.5f ? y : -86.5f;
  constexpr float large = 12582912.0f;
  const float sum = limited + large;
  const float f = limited - (sum - large);
  constexpr float terms[] = {1.32647145e-3f, 9.67151299e-3f, 5.55073395e-2f,
                             2.40222424e-1f, 6.93147004e-1f, 1.0f};
  float power = terms[0];
  for (int i = 1; i < 6; ++i) power = power * f + terms[i];
  const std::uint32_t exponent = bit_cast<std::uint32_t>(sum) << 23;
  return bit_cast<float>(bit_cast<std::uint32_t>(power) + exponent);
}

/// A stage body: the mean of a window, weighted by how near and how alike the points are. The points of a
/// window are added in pairs that lie opposite each other.
template <class T>
struct BilateralMean {
  Reach reach;
  /// The number of columns on each side of the middle in rows of the window, by the distance from the middle.
  int columns_at[most_bilateral_reach + 1] = {};
  /// The factor of the square of a difference in the exponent of 2.
  float alike;
  /// The factors of weights, by the distance from the middle along x or y.
  float near[most_bilateral_reach + 1];

  explicit BilateralMean(const Bilateral& p)
      : reach{p.window[0] / 2, p.window[1] / 2}, alike(static_cast<float>(exponent_of(p.contrast))) {
    for (int i = 0; i <= most_bilateral_reach; ++i)
      near[i] = power_of_two(static_cast<float>(i * i * exponent_of(p.sigma)));
    const int axes = reach.x * reach.x * reach.y * reach.y;
    const auto is_within = [&](int i, int j) {
      return p.shape == BilateralShape::rectangle ||
             i * i * reach.y * reach.y + j * j * reach.x * reach.x <= axes;
    };
    for (int j = 0; j <= reach.y; ++j)
      while (columns_at[j] < reach.x && is_within(columns_at[j] + 1, j)) ++columns_at[j];
  }

  Box footprint(int, const Box& box) const { return reach.around(box); }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    const float middle = static_cast<float>(in(x, y, c));
    float sum = middle, weights = 1;
    for_each_pair([&](int i, int j, float near) {
      const float a = static_cast<float>(in(x + i, y + j, c)), b = static_cast<float>(in(x - i, y - j, c));
      add_pair(a, weight(a, middle, near, alike), b, weight(b, middle, near, alike), sum, weights);
    });
    return rounded<T>(sum / weights);
  }

#ifdef TESSERA_COMPUTES_PLANES
  void plane(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    const int width = block_width();
    for (std::int64_t x = columns.begin; x < columns.end; x += width)
      Block(*this, static_cast<int>(std::min<std::int64_t>(width, columns.end - x)))
          .compute(in, out, x, rows);
  }
#endif

 private:
  /// Returns the factor that makes the square of a difference the exponent of 2 of its weight.
  static double exponent_of(double deviation) { return -0.5 * 1.4426950408889634 / (deviation * deviation); }

  /// Calls use(i, j, near) for the point of each pair that comes after the middle.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_pair(const Use& use) const {
    for (int j = 0; j <= reach.y; ++j)
      for (int i = j == 0 ? 1 : -columns_at[j]; i <= columns_at[j]; ++i)
        use(i, j, near[i < 0 ? -i : i] * near[j]);
  }

  KOKKOS_FORCEINLINE_FUNCTION static float weight(float a, float b, float near, float alike) {
    const float difference = a - b;
    return near * power_of_two(difference * difference * alike);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void add_pair(float a, float weight_a, float b, float weight_b,
                                                   float& sum, float& weights) {
    sum = sum + (weight_a * a + weight_b * b);
    weights = weights + (weight_a + weight_b);
  }

#ifdef TESSERA_COMPUTES_PLANES
  static constexpr int lanes = 16;
  static int whole_vectors(int count) { return (count + lanes - 1) / lanes * lanes; }
  /// The number of floats that rows of a block have in memory. Loops compute whole vectors.
  int pitch(int width) const { return whole_vectors(width + 2 * reach.x) + lanes; }
  int pairs() const {
    int count = columns_at[0];
    for (int j = 1; j <= reach.y; ++j) count += 2 * columns_at[j] + 1;
    return count;
  }
  int kept_weights(int width) const { return (reach.y + 1) * pairs() * pitch(width); }
  /// The number of weights that stay in a near cache beside other memory.
  static constexpr int near_weights = 16384;
  /// The number of weights that stay in the cache of a core. More are not kept.
  static constexpr int most_weights = 131072;
  /// Returns the greatest number of columns whose weights stay in a near cache, but at least 64.
  int block_width() const {
    int width = 512;
    while (width > 64 && kept_weights(width) > near_weights) width -= 64;
    return width;
  }

  /// Some columns of a plane. The two points of a pair have the same weight for each other. It is computed
  /// once and kept for the other point, unless the window is so large that weights would not stay in a cache.
  class Block {
   public:
    Block(const BilateralMean& body, int width)
        : body_(body),
          width_(width),
          pitch_(body.pitch(width)),
          keeps_(body.kept_weights(width) <= most_weights) {
      const int rows = 2 * body.reach.y + 1, sums = whole_vectors(width);
      const int row_of_weights = keeps_ ? body.pairs() * pitch_ : 0;
      sum_ = scratch<Block, float>(2 * sums + rows * pitch_ + (body.reach.y + 1) * row_of_weights);
      weight_sum_ = sum_ + sums;
      float* const values = weight_sum_ + sums;
      for (int j = 0; j < rows; ++j) values_[j] = values + j * pitch_;
      for (int j = 0; j <= body.reach.y; ++j) weights_[j] = values + rows * pitch_ + j * row_of_weights;
    }

    /// Computes the rows of the columns from `x` on.
    void compute(const Plane<const T>& in, const Plane<T>& out, std::int64_t x, Range rows) {
      const int reach = body_.reach.y;
      for (int j = 0; j < reach; ++j) load(in.row(rows.begin - reach + j) + x, values_[reach + j]);
      // The points of rows above have weights for those of `rows`.
      for (std::int64_t y = rows.begin - reach; y < rows.end; ++y) {
        load(in.row(y + reach) + x, values_[2 * reach]);
        if (keeps_) weigh(static_cast<int>(std::max<std::int64_t>(rows.begin - y, 0)));
        if (y >= rows.begin) {
          add();
          T* const to = out.row(y) + x;
          for (int k = 0; k < width_; ++k) to[k] = static_cast<T>(rounded<T>(sum_[k] / weight_sum_[k]));
        }
        std::rotate(values_, values_ + 1, values_ + 2 * reach + 1);
        std::rotate(weights_, weights_ + reach, weights_ + reach + 1);
      }
    }

   private:
    /// Returns the values of the row `j` rows below the present one, which begin `reach.x` columns before the
    /// block.
    float* values(int j) const { return values_[body_.reach.y + j]; }
    /// Returns the weights between the points of the row `j` rows above the present one and those that come
    /// `pair` after them.
    float* weights(int j, int pair) const { return weights_[j] + pair * pitch_; }

    void load(const T* row, float* to) {
      const T* const from = row - body_.reach.x;
      const int count = width_ + 2 * body_.reach.x;
      for (int k = 0; k < count; ++k) to[k] = static_cast<float>(from[k]);
      std::fill(to + count, to + pitch_, 0.0f);
    }

    /// Computes the weights between the points of the present row and those at least `first` rows below.
    void weigh(int first) {
      const float alike = body_.alike;
      int pair = 0;
      body_.for_each_pair([&](int i, int j, float near) {
        const int number = pair++;
        if (j < first) return;
        const int begin = body_.reach.x - std::max(i, 0), count = whole_vectors(width_ + std::abs(i));
        const float* const a = values(0) + begin;
        const float* const b = values(j) + begin + i;
        float* const to = weights(0, number) + begin;
        TESSERA_VECTORISED
        for (int k = 0; k < count; ++k) to[k] = weight(b[k], a[k], near, alike);
      });
    }

    /// Computes the sums of the present row.
    void add() {
      const int at = body_.reach.x, count = whole_vectors(width_);
      const float* const middle = values(0) + at;
      float *const sum = sum_, *const weight_sum = weight_sum_;
      std::copy_n(middle, count, sum);
      std::fill_n(weight_sum, count, 1.0f);
      const float alike = body_.alike;
      int pair = 0;
      body_.for_each_pair([&](int i, int j, float near) {
        const float* const a = values(j) + at + i;
        const float* const b = values(-j) + at - i;
        if (keeps_) {
          const float* const weight_a = weights(0, pair) + at;
          const float* const weight_b = weights(j, pair) + at - i;
          TESSERA_VECTORISED
          for (int k = 0; k < count; ++k)
            add_pair(a[k], weight_a[k], b[k], weight_b[k], sum[k], weight_sum[k]);
        } else {
          TESSERA_VECTORISED
          for (int k = 0; k < count; ++k)
            add_pair(a[k], weight(a[k], middle[k], near, alike), b[k], weight(b[k], middle[k], near, alike),
                     sum[k], weight_sum[k]);
        }
        ++pair;
      });
    }

    const BilateralMean& body_;
    int width_;
    int pitch_;
    bool keeps_;
    float* sum_;
    float* weight_sum_;
    float* values_[2 * most_bilateral_reach + 1];
    float* weights_[most_bilateral_reach + 1];
  };
#endif
};

}  // namespace tessera::operators::detail
