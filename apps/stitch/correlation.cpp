// SPDX-License-Identifier: BSD-3-Clause
#include "correlation.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace stitch {
namespace {

/// Sums over the points that two tiles have in common: of the values of each tile, of their squares, and of
/// the products of both. Values are computed with as `Value`. If it is unsigned, values have 16 bits, and a
/// row has fewer than 2^16 of them, so the sum of a row fits into 32 bits.
template <class Value, class Sum>
struct Sums {
  Sum first = 0, second = 0, first_squared = 0, second_squared = 0, product = 0;

  /// Adds `count` points with the values a(i) and b(i).
  void add_row(int count, auto a, auto b) {
    using SumOfValues = std::conditional_t<std::is_signed_v<Value>, std::int64_t, std::uint32_t>;
    using SumOfProducts = std::conditional_t<std::is_signed_v<Value>, std::int64_t, std::uint64_t>;
    SumOfValues sum_a = 0, sum_b = 0;
    SumOfProducts aa = 0, bb = 0, ab = 0;
#pragma omp simd reduction(+ : sum_a, sum_b, aa, bb, ab)
    for (int i = 0; i < count; ++i) {
      const Value u = a(i), v = b(i);
      sum_a += u;
      sum_b += v;
      aa += u * u;
      bb += v * v;
      ab += u * v;
    }
    first += static_cast<Sum>(sum_a);
    second += static_cast<Sum>(sum_b);
    first_squared += static_cast<Sum>(aa);
    second_squared += static_cast<Sum>(bb);
    product += static_cast<Sum>(ab);
  }
  /// Returns n times a variance or the covariance, if n points have been added.
  double first_variance(double n) const { return centred(first_squared, first, first, n); }
  double second_variance(double n) const { return centred(second_squared, second, second, n); }
  double covariance(double n) const { return centred(product, first, second, n); }

 private:
  static double centred(Sum products, Sum a, Sum b, double n) {
    return static_cast<double>(products) - static_cast<double>(a) * static_cast<double>(b) / n;
  }
};

/// The pixels that two tiles have in common, in the coordinates of the first tile, without the last `margin`
/// columns and rows.
struct Common {
  int x_begin, x_end, y_begin, y_end;
  Common(Extent extent, Shift shift, int margin = 0)
      : x_begin(std::max(0, shift.x)),
        x_end(std::min(extent.width, extent.width + shift.x) - margin),
        y_begin(std::max(0, shift.y)),
        y_end(std::min(extent.height, extent.height + shift.y) - margin) {}
  bool empty() const { return x_begin >= x_end || y_begin >= y_end; }
  int width() const { return x_end - x_begin; }
  double count() const { return static_cast<double>(width()) * (y_end - y_begin); }
};

/// Returns a function of a point (x, y). Its result is a function of i, which returns the value i columns to
/// the right of the point.
template <class T>
auto values_of(const T* values, Extent extent) {
  return [=](int x, int y) {
    return [row = values + std::ptrdiff_t(y) * extent.width + x](int i) { return row[i]; };
  };
}
/// Returns such a function for differences: the pixel that lies `step` behind a pixel in memory, less this
/// pixel.
auto differences_of(const Pixels& pixels, std::ptrdiff_t step) {
  return [values = pixels.values.data(), width = pixels.extent.width, step](int x, int y) {
    return [row = values + std::ptrdiff_t(y) * width + x, step](int i) { return row[i + step] - row[i]; };
  };
}

/// Returns the sums over the points that two tiles have in common at a shift. `first` and `second` return the
/// values of the tiles, as the result of values_of does.
template <class Value, class Sum>
Sums<Value, Sum> sums_of(const Common& common, Shift shift, const auto& first, const auto& second) {
  Sums<Value, Sum> sums;
  for (int y = common.y_begin; y < common.y_end; ++y)
    sums.add_row(common.width(), first(common.x_begin, y), second(common.x_begin - shift.x, y - shift.y));
  return sums;
}

/// Returns the evidence of n differences along x and n along y.
template <class Sums>
double evidence_of(const Sums& right, const Sums& down, double n) {
  const double first_squared = right.first_variance(n) + down.first_variance(n);
  const double second_squared = right.second_variance(n) + down.second_variance(n);
  if (!(first_squared > 0) || !(second_squared > 0)) return 0;
  return (right.covariance(n) + down.covariance(n)) / std::sqrt(first_squared * second_squared) *
         std::sqrt(n);
}

}  // namespace

double correlation(const Pixels& first, const Pixels& second, Shift shift) {
  const Common common(first.extent, shift);
  if (common.empty()) return no_correlation;
  const auto sums =
      sums_of<std::uint32_t, std::uint64_t>(common, shift, values_of(first.values.data(), first.extent),
                                            values_of(second.values.data(), second.extent));
  const double n = common.count(), aa = sums.first_variance(n), bb = sums.second_variance(n);
  // Variances are differences of large numbers. What rounding leaves of equal pixels is not a texture.
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  if (aa <= rounding * static_cast<double>(sums.first_squared) ||
      bb <= rounding * static_cast<double>(sums.second_squared))
    return no_correlation;
  return sums.covariance(n) / std::sqrt(aa * bb);
}

double evidence(const Pixels& first, const Pixels& second, Shift shift) {
  const Common common(first.extent, shift, 1);
  if (common.empty()) return 0;
  const auto sums = [&](std::ptrdiff_t step) {
    return sums_of<std::int64_t, double>(common, shift, differences_of(first, step),
                                         differences_of(second, step));
  };
  return evidence_of(sums(1), sums(first.extent.width), common.count());
}

Shift refined(const Pixels& first, const Pixels& second, Shift shift) {
  return hilltop(shift, [&](Shift next) { return evidence(first, second, next); });
}

ClippedDifferences::ClippedDifferences(const Pixels& tile, tessera::Range columns, tessera::Range rows)
    : extent_(tile.extent), right_(extent_.pixels()), down_(extent_.pixels()) {
  const auto difference = [&](std::int64_t x, std::int64_t y, int dx, int dy) {
    const bool is_in = x + dx < extent_.width && y + dy < extent_.height;
    return is_in ? tile.values[extent_.index(x + dx, y + dy)] - tile.values[extent_.index(x, y)] : 0;
  };
  // The number of differences of each size, their absolute value.
  std::vector<std::int64_t> sizes(bytes_of_sizes / sizeof(std::int64_t));
  for (std::int64_t y = rows.begin; y < rows.end; ++y)
    for (std::int64_t x = columns.begin; x < columns.end; ++x)
      for (const int dx : {1, 0}) ++sizes[static_cast<std::size_t>(std::abs(difference(x, y, dx, 1 - dx)))];
  const std::int64_t count = 2 * rows.size() * columns.size();
  if (count == 0) return;
  // Counts differences from the smallest size up to the median.
  int median = 0;
  for (std::int64_t smaller = sizes[0]; smaller <= count / 2;)
    smaller += sizes[static_cast<std::size_t>(++median)];
  const int limit = std::clamp(2 * median, 2, 32767);
  for (int y = 0; y < extent_.height; ++y)
    for (int x = 0; x < extent_.width; ++x) {
      right_[extent_.index(x, y)] =
          static_cast<std::int16_t>(std::clamp(difference(x, y, 1, 0), -limit, limit));
      down_[extent_.index(x, y)] =
          static_cast<std::int16_t>(std::clamp(difference(x, y, 0, 1), -limit, limit));
    }
}

double ClippedDifferences::evidence(const ClippedDifferences& first, const ClippedDifferences& second,
                                    Shift shift) {
  const Common common(first.extent_, shift, 1);
  if (common.empty()) return 0;
  const auto sums = [&](const auto& a, const auto& b) {
    return sums_of<std::int32_t, std::int64_t>(common, shift, values_of(a.data(), first.extent_),
                                               values_of(b.data(), first.extent_));
  };
  return evidence_of(sums(first.right_, second.right_), sums(first.down_, second.down_), common.count());
}

std::vector<std::uint16_t> flattened(const Pixels& pixels) {
  const auto [width, height] = pixels.extent;
  // For each corner of a pixel, the sum of all pixels above it and to its left.
  const Extent corners{width + 1, height + 1};
  std::vector<std::int64_t> sums(corners.pixels());
  for (int y = 0; y < height; ++y) {
    std::int64_t row = 0;
    for (int x = 0; x < width; ++x) {
      row += pixels.values[pixels.extent.index(x, y)];
      sums[corners.index(x + 1, y + 1)] = sums[corners.index(x + 1, y)] + row;
    }
  }
  // Returns a mean times `scale`. Windows are smaller at the borders of the tile, but always have the pixel
  // in their middle, so slopes have no effect.
  const auto mean = [&, width = width, height = height](int x, int y, int radius, std::int64_t scale) {
    const int radius_x = std::min({radius, x, width - 1 - x}),
              radius_y = std::min({radius, y, height - 1 - y});
    const int left = x - radius_x, top = y - radius_y, x_end = x + radius_x + 1, y_end = y + radius_y + 1;
    const std::int64_t sum = sums[corners.index(x_end, y_end)] - sums[corners.index(x_end, top)] -
                             sums[corners.index(left, y_end)] + sums[corners.index(left, top)];
    return sum * scale / ((2 * radius_x + 1) * (2 * radius_y + 1));
  };
  // Differences of 16 bits are halved to fit into 16 bits with a sign. Those of 8 bits are multiplied by 64,
  // which keeps fractions of the means.
  const bool is_bytes = std::ranges::max(pixels.values) < 256;
  const std::int64_t scale = is_bytes ? 64 : 1, divisor = is_bytes ? 1 : 2;
  std::vector<std::uint16_t> flat;
  flat.reserve(pixels.values.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::int64_t value = 32768 + (mean(x, y, 1, scale) - mean(x, y, 8, scale)) / divisor;
      flat.push_back(static_cast<std::uint16_t>(std::clamp<std::int64_t>(value, 0, 65535)));
    }
  return flat;
}

template <class T>
void cross_power(std::span<const std::complex<T>> first, std::span<const std::complex<T>> second,
                 std::span<std::complex<T>> result) {
  const T* const a = reinterpret_cast<const T*>(first.data());
  const T* const b = reinterpret_cast<const T*>(second.data());
  T* const to = reinterpret_cast<T*>(result.data());
  const std::size_t count = result.size();
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const T real = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
    const T imaginary = a[2 * i + 1] * b[2 * i] - a[2 * i] * b[2 * i + 1];
    const T size = std::sqrt(real * real + imaginary * imaginary);
    // The smallest normal number prevents a division by 0. A product whose square underflows is 0 or noise of
    // the transform.
    const T scale = T(1) / (size + std::numeric_limits<T>::min());
    to[2 * i] = real * scale;
    to[2 * i + 1] = imaginary * scale;
  }
}

template <class T>
std::vector<std::size_t> highest(std::span<const T> values, int count) {
  std::vector<std::size_t> indices;
  const auto wanted = static_cast<std::size_t>(count);
  // Most blocks are skipped as a whole, since none of their values is large enough.
  constexpr std::size_t block = 256;
  for (std::size_t begin = 0; begin < values.size(); begin += block) {
    const std::size_t end = std::min(begin + block, values.size());
    T largest = values[begin];
#pragma omp simd reduction(max : largest)
    for (std::size_t i = begin; i < end; ++i) largest = values[i] > largest ? values[i] : largest;
    if (indices.size() == wanted && !(largest > values[indices.back()])) continue;
    for (std::size_t i = begin; i < end; ++i) {
      if (indices.size() == wanted && !(values[i] > values[indices.back()])) continue;
      const auto after = std::ranges::find_if(indices, [&](std::size_t p) { return values[i] > values[p]; });
      indices.insert(after, i);
      if (indices.size() > wanted) indices.pop_back();
    }
  }
  return indices;
}

std::vector<Shift> readings(std::size_t index, Extent extent) {
  const auto width = static_cast<std::size_t>(extent.width);
  const int x = static_cast<int>(index % width), y = static_cast<int>(index / width);
  std::vector<Shift> shifts;
  for (const int down : {y, y - extent.height})
    for (const int right : {x, x - extent.width})
      if (right > -extent.width && down > -extent.height) shifts.push_back({right, down});
  return shifts;
}

template void cross_power(std::span<const std::complex<float>>, std::span<const std::complex<float>>,
                          std::span<std::complex<float>>);
template void cross_power(std::span<const std::complex<double>>, std::span<const std::complex<double>>,
                          std::span<std::complex<double>>);
template std::vector<std::size_t> highest(std::span<const float>, int);
template std::vector<std::size_t> highest(std::span<const double>, int);

}  // namespace stitch
