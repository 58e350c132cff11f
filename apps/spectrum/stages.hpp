// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/spectral/dft.hpp"

namespace spectrum {

/// The results that the program can write of the spectrum of an image.
enum class Result : std::uint8_t {
  power,      ///< |X|^2 divided by the number of pixels, the frequency 0 in the middle
  amplitude,  ///< the square root of `power`
  complex,    ///< the half spectrum, as the transform gives it
  image       ///< the image of the filtered spectrum
};

/// How a filter passes from 1 to 0. At its cut-off frequency each passes a half of the amplitude.
enum class Shape : std::uint8_t {
  ideal,       ///< 1 up to the cut-off frequency c, then 0
  gaussian,    ///< exp(-ln 2 (f / c)^2)
  butterworth  ///< 1 / (1 + (f / c)^(2 n)) of the order n
};

/// The frequencies that a filter passes, in cycles per pixel; 0 stands for no limit.
struct Filter {
  double lowest = 0;
  double highest = 0;
  /// The frequency around which a notch filter passes nothing, and the distance at which it passes a half.
  double notch_x = 0;
  double notch_y = 0;
  double notch_width = 0;
  Shape shape = Shape::butterworth;
  int order = 2;

  /// Returns whether the filter holds any frequency back.
  bool is_active() const { return lowest > 0 || highest > 0 || notch_width > 0; }
};

/// The image as floating-point numbers.
template <class T>
struct Values {
  template <class In, class... Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord... at) const {
    return tessera::cast<T>(in(at...));
  }
};

/// The half spectrum of an image of this width and height, times what the filter passes.
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
  /// The part of the amplitude that is passed at the frequency (u, v).
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
  /// The difference of two frequencies, of which 1 per point is the same as 0.
  template <class U>
  KOKKOS_FUNCTION auto nearest(const U& difference) const {
    return difference - tessera::floor(difference + 0.5);
  }
  /// What a low-pass filter passes at a distance from its middle, whose square is given.
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

/// The power of all frequencies, from the half spectrum: the frequency 0 lies at (width / 2, height / 2).
template <class T>
struct Power {
  int width;
  int height;
  bool is_amplitude;

  template <class In, class X, class Y, class... Channel>
  KOKKOS_FUNCTION auto operator()(const In& in, X x, Y y, Channel... channel) const {
    const auto u = x - width / 2, v = y - height / 2;
    const auto row = tessera::select(u < 0, -v, v) % height;  // X[-k] is conj(X[k])
    const auto column = tessera::clamp(tessera::abs(u), 0, width / 2);
    const auto power =
        tessera::norm(in(column, row, channel...)) / (static_cast<T>(width) * static_cast<T>(height));
    return is_amplitude ? tessera::sqrt(power) : power + T(0);
  }
};

/// Adds the stages from the half spectrum to the result.
template <class T, int N>
void add_result(tessera::Pipeline& pipeline, tessera::Array<Kokkos::complex<T>, N> half,
                const tessera::Box& image, Result result) {
  const int width = static_cast<int>(image[0].size()), height = static_cast<int>(image[1].size());
  if (result == Result::image) {
    pipeline.output(tessera::spectral::inverse_dft_to_real<T, N>(pipeline, "result", half, image, 2), image);
  } else {
    const Power<T> power{width, height, result == Result::amplitude};
    pipeline.output(pipeline.stage<T>("result", power, half), image);
  }
}

/// The stages `values` (the image as T), `spectrum_x` and `spectrum` (its half spectrum), `filtered` if the
/// filter holds anything back, and `result`. If the half spectrum is wanted, its last stage is the result.
template <class In, class T, int N>
tessera::Pipeline make_pipeline(const tessera::Box& image, Result result, const Filter& filter) {
  using tessera::spectral::dft_of_real, tessera::spectral::half_spectrum;
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<In, N>("input", image);
  const auto values = pipeline.stage<T>("values", Values<T>(), input);
  const bool is_last = result == Result::complex && !filter.is_active();
  auto half = dft_of_real<T, N>(pipeline, is_last ? "result" : "spectrum", values, image, 2);
  if (filter.is_active()) {
    const Filtered<T> body{filter, static_cast<int>(image[0].size()), static_cast<int>(image[1].size())};
    half = pipeline.stage<Kokkos::complex<T>>(result == Result::complex ? "result" : "filtered", body, half);
  }
  if (result == Result::complex)
    pipeline.output(half, half_spectrum(image));
  else
    add_result<T, N>(pipeline, half, image, result);
  return pipeline;
}

}  // namespace spectrum
