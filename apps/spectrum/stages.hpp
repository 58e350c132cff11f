// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace spectrum {

/// The shape of a low-pass filter: its factor at the frequency f. All except `ideal` pass a half of the
/// amplitude at the cut-off frequency c.
enum class Shape : std::uint8_t {
  ideal,       ///< 1 up to the cut-off frequency c, then 0
  gaussian,    ///< exp(-ln 2 (f / c)^2)
  butterworth  ///< 1 / (1 + (f / c)^(2 n)) of the order n
};

/// The frequencies that a filter passes, in cycles per pixel; 0 stands for no limit.
struct Filter {
  double lowest = 0;
  double highest = 0;
  /// The frequency at which a notch filter passes nothing, and the distance from it at which the filter
  /// passes a half.
  double notch_x = 0;
  double notch_y = 0;
  double notch_width = 0;
  Shape shape = Shape::butterworth;
  int order = 2;

  /// Returns whether the filter holds any frequency back.
  bool is_active() const { return lowest > 0 || highest > 0 || notch_width > 0; }
};

/// The image as floating-point numbers. The upper left corner of the image lies at (left, top) of the result.
template <class T>
struct Values {
  int left = 0;
  int top = 0;

  template <class In, class X, class Y, class... Channel>
  KOKKOS_FUNCTION auto operator()(const In& in, X x, Y y, Channel... channel) const {
    return tessera::cast<T>(in(x - left, y - top, channel...));
  }
};

/// The half spectrum of an image of this width and height, multiplied by the factors of the filter.
template <class T>
struct Filtered {
  Filter filter;
  int width;
  int height;

  template <class In, class X, class Y, class... Channel>
  KOKKOS_FUNCTION auto operator()(const In& in, X x, Y y, Channel... channel) const {
    const auto u = tessera::cast<double>(x) / static_cast<double>(width);
    const auto row = tessera::select(2 * y > height, y - height, y);
    const auto v = tessera::cast<double>(row) / static_cast<double>(height);
    return in(x, y, channel...) * tessera::cast<T>(passed(u, v));
  }

 private:
  /// Returns the part of the amplitude that the filter passes at the frequency (u, v).
  template <class U, class V>
  KOKKOS_FUNCTION auto passed(const U& u, const V& v) const {
    const auto square = u * u + v * v;
    auto part = 1.0 + 0.0 * square;
    if (filter.highest > 0) part = part * low(square, filter.highest);
    if (filter.lowest > 0) part = part * (1.0 - low(square, filter.lowest));
    if (filter.notch_width > 0) {
      const auto dx = nearest(u - filter.notch_x), dy = nearest(v - filter.notch_y);
      const auto ex = nearest(u + filter.notch_x), ey = nearest(v + filter.notch_y);
      part = part * (1.0 - low(dx * dx + dy * dy, filter.notch_width)) *
             (1.0 - low(ex * ex + ey * ey, filter.notch_width));
    }
    return part;
  }
  /// Returns the shortest of the equal differences of two frequencies: a frequency of 1 per point is the same
  /// as 0.
  template <class U>
  KOKKOS_FUNCTION auto nearest(const U& difference) const {
    return difference - tessera::floor(difference + 0.5);
  }
  /// Returns the part that a low-pass filter passes at a distance from its middle. `square` is that distance
  /// squared.
  template <class S>
  KOKKOS_FUNCTION auto low(const S& square, double cutoff) const {
    const auto ratio = square / (cutoff * cutoff);
    if (filter.shape == Shape::ideal) return tessera::select(ratio <= 1.0, 1.0, 0.0) + 0.0 * ratio;
    if (filter.shape == Shape::gaussian) return tessera::exp(ratio * -0.693147180559945309) + 0.0;
    auto power = ratio * 1.0;
    for (int n = 1; n < filter.order; ++n) power = power * ratio;
    return 1.0 / (1.0 + power);
  }
};

/// The power or amplitude of the half spectrum of an image of this width and height.
template <class T>
struct HalfPower {
  int width;
  int height;
  bool is_amplitude;

  template <class In, class... At>
  KOKKOS_FUNCTION auto operator()(const In& in, At... at) const {
    const auto power = tessera::norm(in(at...)) / (static_cast<T>(width) * static_cast<T>(height));
    return is_amplitude ? tessera::sqrt(power) : power + T(0);
  }
};

/// The call of a library stage that computes all frequencies of a real image from half of them: the frequency
/// 0 lies at (width / 2, height / 2), and opposite frequencies are equal. A row needs two rows that lie far
/// from each other, so that slices of rows would need all of the half. Slices of columns need few columns.
template <class T>
struct WholePower {
  int width;
  int height;

  tessera::Box footprint(int, tessera::Box box) const {
    const std::int64_t first = box[0].begin - width / 2, last = box[0].end - 1 - width / 2;
    const std::int64_t nearest = first > 0 ? first : last < 0 ? -last : 0;
    box[0] = {nearest, std::max(std::abs(first), std::abs(last)) + 1};
    box[1] = {0, height};
    return box;
  }

  void operator()(const tessera::LibraryBlock<const T>& half, const tessera::LibraryBlock<T>& result) const {
    const bool has_channels = result.box.dimensions > 2;
    const std::int64_t channels = has_channels ? result.box[2].size() : 1;
    const tessera::Range columns = result.box[0];
    const std::int64_t middle = std::clamp<std::int64_t>(width / 2, columns.begin, columns.end);
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t y = 0; y < height; ++y) {
        const std::int64_t v = (y + height - height / 2) % height;
        const T* const opposite = row(half, (height - v) % height, c) + width / 2;
        const T* const same = row(half, v, c) - width / 2;
        T* const out = row(result, y, c);
        for (std::int64_t x = columns.begin; x < middle; ++x) out[x] = opposite[-x];
        for (std::int64_t x = middle; x < columns.end; ++x) out[x] = same[x];
      }
  }

 private:
  /// Returns the address that the point with x = 0 of a row has, or would have if the block does not include
  /// it. `channel` counts from the first channel of the block.
  template <class U>
  static U* row(const tessera::LibraryBlock<U>& block, std::int64_t y, std::int64_t channel) {
    return block.data + y * block.strides[1] - block.box[0].begin + channel * block.strides[2];
  }
};

}  // namespace spectrum
