// SPDX-License-Identifier: BSD-3-Clause
#include "clipped_differences.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace stitch {
namespace {

/// Sums over the differences of two tiles at the same points.
struct DifferenceSums {
  std::int64_t first = 0, second = 0, first_squared = 0, second_squared = 0, product = 0;

  void add_row(const std::int16_t* a, const std::int16_t* b, int count) {
    std::int64_t sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
#pragma omp simd reduction(+ : sum_a, sum_b, aa, bb, ab)
    for (int i = 0; i < count; ++i) {
      const std::int32_t u = a[i], v = b[i];
      sum_a += u;
      sum_b += v;
      aa += u * u;
      bb += v * v;
      ab += u * v;
    }
    first += sum_a;
    second += sum_b;
    first_squared += aa;
    second_squared += bb;
    product += ab;
  }
  static double covariance(std::int64_t product, std::int64_t a, std::int64_t b, double n) {
    return static_cast<double>(product) - static_cast<double>(a) * static_cast<double>(b) / n;
  }
};

}  // namespace

ClippedDifferences::ClippedDifferences(const Pixels& tile, tessera::Range columns, tessera::Range rows)
    : extent_(tile.extent), right_(extent_.pixels()), down_(extent_.pixels()) {
  const int width = extent_.width, height = extent_.height;
  const auto place = [&](std::int64_t x, std::int64_t y) { return static_cast<std::size_t>(y * width + x); };
  const auto right = [&](std::int64_t x, std::int64_t y) {
    return x + 1 < width ? tile.values[place(x + 1, y)] - tile.values[place(x, y)] : 0;
  };
  const auto down = [&](std::int64_t x, std::int64_t y) {
    return y + 1 < height ? tile.values[place(x, y + 1)] - tile.values[place(x, y)] : 0;
  };
  // How many differences have each size.
  std::vector<std::int64_t> sizes(bytes_of_sizes / sizeof(std::int64_t));
  std::int64_t count = 0;
  for (std::int64_t y = rows.begin; y < rows.end; ++y)
    for (std::int64_t x = columns.begin; x < columns.end; ++x, count += 2)
      for (const int size : {std::abs(right(x, y)), std::abs(down(x, y))})
        ++sizes[static_cast<std::size_t>(size)];
  if (count == 0) return;
  int median = 0;
  for (std::int64_t smaller = sizes[0]; smaller <= count / 2;)
    smaller += sizes[static_cast<std::size_t>(++median)];
  const int most = std::clamp(2 * median, 2, 32767);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      right_[place(x, y)] = static_cast<std::int16_t>(std::clamp(right(x, y), -most, most));
      down_[place(x, y)] = static_cast<std::int16_t>(std::clamp(down(x, y), -most, most));
    }
}

double ClippedDifferences::evidence(const ClippedDifferences& first, const ClippedDifferences& second,
                                    Shift shift) {
  const auto [width, height] = first.extent_;
  const int x_begin = std::max(0, shift.x), x_end = std::min(width, width + shift.x) - 1;
  const int y_begin = std::max(0, shift.y), y_end = std::min(height, height + shift.y) - 1;
  if (x_begin >= x_end || y_begin >= y_end) return 0;
  DifferenceSums right, down;
  for (int y = y_begin; y < y_end; ++y) {
    const std::ptrdiff_t a = std::ptrdiff_t(y) * width + x_begin;
    const std::ptrdiff_t b = std::ptrdiff_t(y - shift.y) * width + x_begin - shift.x;
    right.add_row(first.right_.data() + a, second.right_.data() + b, x_end - x_begin);
    down.add_row(first.down_.data() + a, second.down_.data() + b, x_end - x_begin);
  }
  const double n = static_cast<double>(x_end - x_begin) * (y_end - y_begin);
  double product = 0, first_squared = 0, second_squared = 0;
  for (const DifferenceSums& sums : {right, down}) {
    product += DifferenceSums::covariance(sums.product, sums.first, sums.second, n);
    first_squared += DifferenceSums::covariance(sums.first_squared, sums.first, sums.first, n);
    second_squared += DifferenceSums::covariance(sums.second_squared, sums.second, sums.second, n);
  }
  if (!(first_squared > 0) || !(second_squared > 0)) return 0;
  return product / std::sqrt(first_squared * second_squared) * std::sqrt(n);
}

}  // namespace stitch
