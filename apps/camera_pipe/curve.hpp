// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "tessera/pipeline/body/table.hpp"

namespace camera_pipe {

/// How a raw image is developed.
struct Parameters {
  float colour_temperature = 3700;  ///< Of the light, in kelvin.
  float gamma = 2;
  float contrast = 50;
  float sharpening = 1;
  int black_level = 25;
  int white_level = 1023;
};

using Curve = tessera::Table<std::uint8_t, 1024>;

/// Returns the table from linear values of 10 bits to 8 bits: black and white level, gamma, and an S-curve of
/// two parabolas.
inline Curve tone_curve(const Parameters& parameters) {
  std::array<std::uint8_t, 1024> values;
  const float scale = 1.0f / static_cast<float>(parameters.white_level - parameters.black_level);
  const float linear = 2.0f - std::pow(2.0f, parameters.contrast / 100.0f), square = 2.0f - 2.0f * linear;
  for (int i = 0; i < 1024; ++i) {
    const float light = std::clamp(static_cast<float>(i - parameters.black_level) * scale, 0.0f, 1.0f);
    const float g = std::pow(light, 1.0f / parameters.gamma), rest = 1.0f - g;
    const float toned =
        g > 0.5f ? 1.0f - (square * rest * rest + linear * rest) : square * g * g + linear * g;
    const float value = i <= parameters.black_level  ? 0.0f
                        : i > parameters.white_level ? 255.0f
                                                     : std::clamp(toned * 255.0f + 0.5f, 0.0f, 255.0f);
    values[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value);
  }
  return Curve(values);
}

/// The matrix from the sensor's colours to sRGB: three rows of three factors and an offset, in units of
/// 1/256.
using Matrix = tessera::Table<std::int16_t, 4, 3>;

/// Returns the matrix of the Nokia N900's sensor for the colour temperature: an interpolation in 1 / kelvin
/// between its matrices at 3200 and 7000 kelvin (from FCam, as Halide's app has them).
inline Matrix colour_matrix(const Parameters& parameters) {
  constexpr float at_3200[3][4] = {{1.6697f, -0.2693f, -0.4004f, -42.4346f},
                                   {-0.3576f, 1.0615f, 1.5949f, -37.1158f},
                                   {-0.2175f, -1.8751f, 6.9640f, -26.6970f}};
  constexpr float at_7000[3][4] = {{2.2997f, -0.4478f, 0.1706f, -39.0923f},
                                   {-0.3826f, 1.5906f, -0.2080f, -25.4311f},
                                   {-0.0888f, -0.7344f, 2.2832f, -20.0826f}};
  const float share = (1.0f / parameters.colour_temperature - 1.0f / 3200) / (1.0f / 7000 - 1.0f / 3200);
  std::int16_t matrix[3][4];
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 4; ++column)
      matrix[row][column] = static_cast<std::int16_t>(
          (at_3200[row][column] * share + at_7000[row][column] * (1 - share)) * 256.0f);
  return Matrix(matrix);
}

}  // namespace camera_pipe
