// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "tessera/domain/counter_hash.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

// Pictures whose brightness at a point, nominally from 0 to 1, follows from its coordinates alone.
namespace generate {

using tessera::counter_hash, tessera::normal_from_hash, tessera::uniform_from_hash;

/// Squares of `size` points, which are 0 and 1 in turn. The square at the origin is 0.
struct Checkerboard {
  int size = 32;

  KOKKOS_FUNCTION double operator()(int x, int y, int) const { return (x / size + y / size) % 2; }
};

/// Rings: (1 + cos(pi r^2 / period)) / 2 at the distance r from the middle, where there are r / period waves
/// per point.
struct ZonePlate {
  std::int64_t width = 0, height = 0;
  std::int64_t period = 1;

  KOKKOS_FUNCTION double operator()(int x, int y, int) const {
    const std::int64_t twice_x = 2 * std::int64_t(x) - (width - 1),
                       twice_y = 2 * std::int64_t(y) - (height - 1);
    // The phase is reduced to one wave while it is still an integer, so that nothing is rounded. A wave is 8
    // periods, as the coordinates are doubled, and r^2 is 2 periods larger after each wave.
    const std::int64_t wave = 8 * period;
    const auto phase = static_cast<double>((twice_x * twice_x + twice_y * twice_y) % wave);
    return (1 + std::cos(2 * std::numbers::pi * (phase / static_cast<double>(wave)))) / 2;
  }
};

/// The sum of octaves of value noise around 1/2: numbers at the corners of squares of 1, 2, 4, ..., `longest`
/// points, with smooth steps between them.
struct PowerLawNoise {
  static constexpr int most_octaves = 21;

  std::uint64_t seed = 1;
  int octaves = 1;
  /// The amplitudes of the octaves. Octave i has the wavelength 2^i.
  double amplitudes[most_octaves] = {};

  KOKKOS_FUNCTION double operator()(int x, int y, int channel) const {
    double sum = 0.5;
    for (int octave = octaves - 1; octave >= 0; --octave)
      sum += amplitudes[octave] * value_noise(x, y, octave, channel);
    return sum;
  }

  /// A step from 0 to 1 whose first two derivatives vanish at both ends.
  KOKKOS_FUNCTION static double step(double t) { return t * t * t * (t * (6 * t - 15) + 10); }

 private:
  /// Returns the value noise of an octave at a point, a number in [-1, 1).
  KOKKOS_FUNCTION double value_noise(int x, int y, int octave, int channel) const {
    const std::int64_t length = std::int64_t(1) << octave;
    // Each octave is shifted by itself, so that the edges of its squares lie elsewhere than those of others.
    const std::uint64_t shift = counter_hash(seed, octave, channel, -1);
    const std::int64_t moved_x = x + static_cast<std::int64_t>(shift & 0xFFFFFFU);
    const std::int64_t moved_y = y + static_cast<std::int64_t>(shift >> 24 & 0xFFFFFFU);
    const std::int64_t column = moved_x >> octave, row = moved_y >> octave;
    const double right = step(static_cast<double>(moved_x & (length - 1)) / static_cast<double>(length));
    const double lower = step(static_cast<double>(moved_y & (length - 1)) / static_cast<double>(length));
    const std::uint64_t of_octave = counter_hash(seed, octave, channel, 0);
    const double above =
        (1 - right) * corner(of_octave, column, row) + right * corner(of_octave, column + 1, row);
    const double below =
        (1 - right) * corner(of_octave, column, row + 1) + right * corner(of_octave, column + 1, row + 1);
    return (1 - lower) * above + lower * below;
  }
  /// Returns the number at a corner of the squares of an octave, in [-1, 1).
  KOKKOS_FUNCTION static double corner(std::uint64_t of_octave, std::int64_t column, std::int64_t row) {
    return 2 * uniform_from_hash(counter_hash(of_octave, column, row, 0)) - 1;
  }
};

/// Stars on a sky: one in each square of `spacing` points, anywhere in it.
struct StarField {
  std::uint64_t seed = 1;
  std::int64_t spacing = 32;
  /// The width in points of a star's Gaussian profile, which ends after `cut` widths. These are within
  /// `spacing`.
  double width = 1.5;
  static constexpr double cut = 5;
  /// The brightness of a star's middle is `faintest` u^(-1 / slope), at most 1, where u is uniform in (0, 1].
  double faintest = 0.01, slope = 1;
  double sky = 0.02;
  /// The deviation of the noise of a point.
  double noise = 0.005;

  KOKKOS_FUNCTION double operator()(int x, int y, int channel) const {
    const std::int64_t column = x / spacing, row = y / spacing;
    double sum = sky;
    for (std::int64_t j = row - 1; j <= row + 1; ++j)
      for (std::int64_t i = column - 1; i <= column + 1; ++i) sum += star(i, j, x, y, channel);
    return sum + noise * normal_from_hash(counter_hash(seed, x, y, 4 * std::int64_t(channel) + 3));
  }

 private:
  /// Returns what the star of a square adds to a point.
  KOKKOS_FUNCTION double star(std::int64_t column, std::int64_t row, int x, int y, int channel) const {
    const std::uint64_t place = counter_hash(seed, column, row, 0);
    const auto away = [this](std::int64_t square, std::uint64_t bits, int point) {
      return (static_cast<double>(square) + static_cast<double>(bits & 0xFFFFFFFFU) * 0x1p-32) *
                 static_cast<double>(spacing) -
             point;
    };
    const double away_x = away(column, place, x), away_y = away(row, place >> 32, y);
    const double distance = (away_x * away_x + away_y * away_y) / (width * width);
    if (distance > cut * cut) return 0;
    return brightness(column, row) * colour(column, row, channel) * tessera::exp(-distance / 2);
  }
  /// Returns the brightness of the middle of the star in a square.
  KOKKOS_FUNCTION double brightness(std::int64_t column, std::int64_t row) const {
    const double u = uniform_from_hash(counter_hash(seed, column, row, 1)) + 0x1p-53;
    const double bright = faintest * tessera::exp(-tessera::log(u) / slope);
    return tessera::min(bright, 1.0);
  }
  /// Returns the share of a star's light in a channel: 1 in the first one, and 1/2 to 1 in all others.
  KOKKOS_FUNCTION double colour(std::int64_t column, std::int64_t row, int channel) const {
    return channel == 0
               ? 1
               : 0.5 +
                     0.5 * uniform_from_hash(counter_hash(seed, column, row, 4 * std::int64_t(channel) + 2));
  }
};

/// A picture as T. For integers, 0 to 1 are spread over the range of the type, rounded, and limited to it.
template <class Picture, class T>
struct Drawn {
  Picture picture;

  KOKKOS_FUNCTION T operator()(tessera::Coordinate x, tessera::Coordinate y,
                               tessera::Coordinate channel = 0) const {
    const double brightness = picture(x.value, y.value, channel.value);
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(brightness);
    } else {
      constexpr double greatest = tessera::highest<T>;
      return static_cast<T>(tessera::clamp(tessera::round(brightness * greatest), 0.0, greatest));
    }
  }
};

/// Returns the pipeline that draws a picture of (x, y), or (x, y, channel), as the stage `image`.
template <class T, class Picture>
tessera::Pipeline make_pipeline(const tessera::Box& image, const Picture& picture) {
  tessera::Pipeline pipeline;
  const Drawn<Picture, T> drawn{picture};
  if (image.dimensions == 2)
    pipeline.output(pipeline.stage<T, 2>("image", drawn), image);
  else
    pipeline.output(pipeline.stage<T, 3>("image", drawn), image);
  return pipeline;
}

}  // namespace generate
