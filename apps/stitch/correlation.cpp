// SPDX-License-Identifier: BSD-3-Clause
#include "correlation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace stitch {
namespace {

/// Sums over the pixels that two tiles have in common.
struct Sums {
  std::uint64_t first = 0, second = 0, first_squared = 0, second_squared = 0, product = 0;

  void add_row(const std::uint16_t* a, const std::uint16_t* b, int count) {
    // A row has fewer than 2^16 pixels, so that its sums of values have 32 bits.
    std::uint32_t sum_a = 0, sum_b = 0;
    std::uint64_t aa = 0, bb = 0, ab = 0;
#pragma omp simd reduction(+ : sum_a, sum_b, aa, bb, ab)
    for (int i = 0; i < count; ++i) {
      const std::uint32_t u = a[i], v = b[i];
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
};

/// Sums over the differences of neighbouring pixels of two tiles, in one dimension.
struct Differences {
  double first = 0, second = 0, first_squared = 0, second_squared = 0, product = 0;

  /// Adds the differences between the pixels at `a` and `a_next`, and between those at `b` and `b_next`.
  void add_row(const std::uint16_t* a, const std::uint16_t* a_next, const std::uint16_t* b,
               const std::uint16_t* b_next, int count) {
    std::int64_t sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
#pragma omp simd reduction(+ : sum_a, sum_b, aa, bb, ab)
    for (int i = 0; i < count; ++i) {
      const std::int64_t u = a_next[i] - a[i], v = b_next[i] - b[i];
      sum_a += u;
      sum_b += v;
      aa += u * u;
      bb += v * v;
      ab += u * v;
    }
    first += static_cast<double>(sum_a);
    second += static_cast<double>(sum_b);
    first_squared += static_cast<double>(aa);
    second_squared += static_cast<double>(bb);
    product += static_cast<double>(ab);
  }
  double first_variance(double n) const { return first_squared - first * first / n; }
  double second_variance(double n) const { return second_squared - second * second / n; }
  double covariance(double n) const { return product - first * second / n; }
};

/// The pixels that two tiles have in common, in the coordinates of the first one.
struct Common {
  int x_begin, x_end, y_begin, y_end;
  Common(Extent extent, Shift shift)
      : x_begin(std::max(0, shift.x)),
        x_end(std::min(extent.width, extent.width + shift.x)),
        y_begin(std::max(0, shift.y)),
        y_end(std::min(extent.height, extent.height + shift.y)) {}
  bool empty() const { return x_begin >= x_end || y_begin >= y_end; }
};

/// Returns a pointer to a pixel of a tile.
const std::uint16_t* at(const Pixels& pixels, int x, int y) {
  return pixels.values.data() + std::ptrdiff_t(y) * pixels.extent.width + x;
}

}  // namespace

double correlation(const Pixels& first, const Pixels& second, Shift shift) {
  const Common common(first.extent, shift);
  if (common.empty()) return no_correlation;
  const int width = common.x_end - common.x_begin;
  Sums sums;
  for (int y = common.y_begin; y < common.y_end; ++y)
    sums.add_row(at(first, common.x_begin, y), at(second, common.x_begin - shift.x, y - shift.y), width);
  const double n = static_cast<double>(width) * (common.y_end - common.y_begin);
  const double a = static_cast<double>(sums.first), b = static_cast<double>(sums.second);
  const double aa = static_cast<double>(sums.first_squared) - a * a / n;
  const double bb = static_cast<double>(sums.second_squared) - b * b / n;
  // Differences of large numbers: what rounding leaves of a row of equal pixels is not a texture.
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  if (aa <= rounding * static_cast<double>(sums.first_squared) ||
      bb <= rounding * static_cast<double>(sums.second_squared))
    return no_correlation;
  return (static_cast<double>(sums.product) - a * b / n) / std::sqrt(aa * bb);
}

double evidence(const Pixels& first, const Pixels& second, Shift shift) {
  const Common common(first.extent, shift);
  const int width = common.x_end - common.x_begin - 1, height = common.y_end - common.y_begin - 1;
  if (width < 1 || height < 1) return 0;
  Differences right, down;
  for (int y = common.y_begin; y + 1 < common.y_end; ++y) {
    const std::uint16_t* const a = at(first, common.x_begin, y);
    const std::uint16_t* const b = at(second, common.x_begin - shift.x, y - shift.y);
    right.add_row(a, a + 1, b, b + 1, width);
    down.add_row(a, a + first.extent.width, b, b + second.extent.width, width);
  }
  const double n = static_cast<double>(width) * height;
  const double first_squared = right.first_variance(n) + down.first_variance(n);
  const double second_squared = right.second_variance(n) + down.second_variance(n);
  if (!(first_squared > 0) || !(second_squared > 0)) return 0;
  return (right.covariance(n) + down.covariance(n)) / std::sqrt(first_squared * second_squared) *
         std::sqrt(n);
}

Shift refined(const Pixels& first, const Pixels& second, Shift shift) {
  double most = evidence(first, second, shift);
  for (;;) {
    Shift best = shift;
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const Shift next{shift.x + x, shift.y + y};
        if (next == shift) continue;
        if (const double found = evidence(first, second, next); found > most) {
          most = found;
          best = next;
        }
      }
    if (best == shift) return shift;
    shift = best;
  }
}

std::vector<std::uint16_t> flattened(const Pixels& pixels) {
  const int width = pixels.extent.width, height = pixels.extent.height;
  const auto stride = static_cast<std::size_t>(width) + 1;
  // The sums of all pixels above and to the left.
  std::vector<std::int64_t> sums(stride * (static_cast<std::size_t>(height) + 1));
  for (int y = 0; y < height; ++y) {
    std::int64_t row = 0;
    for (int x = 0; x < width; ++x) {
      row += *at(pixels, x, y);
      const std::size_t here = (static_cast<std::size_t>(y) + 1) * stride + static_cast<std::size_t>(x) + 1;
      sums[here] = sums[here - stride] + row;
    }
  }
  // Windows are smaller at the borders, but have the pixel in their middle, so that slopes have no effect.
  const auto mean = [&](int x, int y, int radius, std::int64_t scale) {
    const int right = std::min({radius, x, width - 1 - x}), down = std::min({radius, y, height - 1 - y});
    const auto x_begin = static_cast<std::size_t>(x - right), x_end = static_cast<std::size_t>(x + right + 1);
    const auto y_begin = static_cast<std::size_t>(y - down), y_end = static_cast<std::size_t>(y + down + 1);
    const std::int64_t sum = sums[y_end * stride + x_end] - sums[y_begin * stride + x_end] -
                             sums[y_end * stride + x_begin] + sums[y_begin * stride + x_begin];
    return sum * scale / static_cast<std::int64_t>((x_end - x_begin) * (y_end - y_begin));
  };
  // Twice as much as 16 bits hold, or 64 times as much for 8 bits.
  const bool is_bytes = std::ranges::max(pixels.values) < 256;
  const std::int64_t scale = is_bytes ? 64 : 1, divisor = is_bytes ? 1 : 2;
  std::vector<std::uint16_t> flat(pixels.values.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::int64_t value = 32768 + (mean(x, y, 1, scale) - mean(x, y, 8, scale)) / divisor;
      flat[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)] =
          static_cast<std::uint16_t>(std::clamp<std::int64_t>(value, 0, 65535));
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
    // A product whose square underflows is 0 or noise of the transform.
    const T scale = T(1) / (size + std::numeric_limits<T>::min());
    to[2 * i] = real * scale;
    to[2 * i + 1] = imaginary * scale;
  }
}

template <class T>
std::vector<std::size_t> highest(std::span<const T> values, int count) {
  std::vector<std::size_t> places;
  const auto wanted = static_cast<std::size_t>(count);
  constexpr std::size_t block = 256;
  for (std::size_t begin = 0; begin < values.size(); begin += block) {
    const std::size_t end = std::min(begin + block, values.size());
    T largest = values[begin];
#pragma omp simd reduction(max : largest)
    for (std::size_t i = begin; i < end; ++i) largest = values[i] > largest ? values[i] : largest;
    if (places.size() == wanted && !(largest > values[places.back()])) continue;
    for (std::size_t i = begin; i < end; ++i) {
      if (places.size() == wanted && !(values[i] > values[places.back()])) continue;
      const auto after = std::ranges::find_if(places, [&](std::size_t p) { return values[i] > values[p]; });
      places.insert(after, i);
      if (places.size() > wanted) places.pop_back();
    }
  }
  return places;
}

std::vector<Shift> readings(std::size_t place, Extent extent) {
  const auto width = static_cast<std::size_t>(extent.width);
  const int x = static_cast<int>(place % width), y = static_cast<int>(place / width);
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
