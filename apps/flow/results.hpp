// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tessera/pipeline/algorithm/pipeline.hpp"

// These stages turn the flow into the result, a picture of it, and its errors.
namespace flow {

/// A stage body: the flow as an image of two channels.
struct TwoChannels {
  template <class Flow, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, Coord x, Coord y) const {
    return tessera::pack(u(x, y), v(x, y));
  }
};

/// A displacement whose components are larger is unknown, by the convention of the Middlebury benchmark.
inline constexpr float largest_known = 1e9f;

/// A stage body: the squared magnitude of the flow.
struct SquaredMagnitude {
  template <class Flow, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, Coord x, Coord y) const {
    return u(x, y) * u(x, y) + v(x, y) * v(x, y);
  }
};

/// The body of a value: the largest magnitude, from its square. It is 1 if nothing moves.
struct LargestMagnitude {
  template <class Square, class Coord>
  KOKKOS_FUNCTION auto operator()(const Square& square, Coord) const {
    return tessera::select(square(0) > 0.0f, tessera::sqrt(square(0)), 1.0f);
  }
};

/// The body of a value: a number of the deck.
struct Constant {
  float number;

  template <class Coord>
  KOKKOS_FUNCTION float operator()(Coord) const {
    return number;
  }
};

/// The body of a value: the scale that leaves grey values as they are (see Scale).
struct Unscaled {
  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord i) const {
    return tessera::select(i == 1, 0.0f, 1.0f);
  }
};

/// A stage body: the colours of the flow, by the colour code of S. Baker et al. (A Database and Evaluation
/// Methodology for Optical Flow, 2011). The hue tells the direction, and the saturation the magnitude as a
/// share of `largest`. Displacements beyond `largest` are darker.
class ColourCode {
 public:
  static constexpr int hues = 55;

  struct Colour {
    std::uint8_t red, green, blue;
  };

  ColourCode() {
    // The numbers of hues between red, yellow, green, cyan, blue and magenta, which differ so that equal
    // steps look alike. In each part one channel rises or falls.
    constexpr int counts[] = {15, 6, 4, 11, 13, 6};
    // The channel that rises or falls in each part.
    constexpr int changing[] = {1, 0, 2, 1, 0, 2};
    int hue = 0;
    for (int part = 0; part < 6; ++part)
      for (int i = 0; i < counts[part]; ++i, ++hue) {
        const int step = 255 * i / counts[part];
        const bool rises = part % 2 == 0;
        // The channel that is full in this part: red, green or blue.
        const int full = ((part + 1) / 2) % 3;
        wheel_[hue][full] = 255;
        wheel_[hue][changing[part]] = static_cast<std::uint8_t>(rises ? step : 255 - step);
      }
  }

  tessera::Box footprint(int input, const tessera::Box& pixels) const {
    return input < 2 ? pixels : tessera::Box{{0, 1}};
  }

  template <class Flow, class Largest>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, const Largest& largest, tessera::Coordinate x,
                                  tessera::Coordinate y) const {
    const Colour colour = colour_of(u(x, y) / largest(0), v(x, y) / largest(0));
    return tessera::pack(colour.red, colour.green, colour.blue);
  }

  /// Returns the colour of the displacement (fx, fy). The magnitude 1 has the purest colours.
  KOKKOS_FUNCTION Colour colour_of(float fx, float fy) const {
    const float radius = std::sqrt(fx * fx + fy * fy);
    const float place = (std::atan2(-fy, -fx) / pi + 1) / 2 * (hues - 1);
    const int hue = place < 0 ? 0 : place < hues ? static_cast<int>(place) : hues - 1;
    const float share = place - static_cast<float>(hue);
    const auto channel = [&](int c) {
      const float pure = ((1 - share) * wheel_[hue][c] + share * wheel_[(hue + 1) % hues][c]) / 255;
      const float shown = radius <= 1 ? 1 - radius * (1 - pure) : pure * 0.75f;
      return static_cast<std::uint8_t>(255 * shown);
    };
    return {channel(0), channel(1), channel(2)};
  }

 private:
  static constexpr float pi = 3.14159265358979f;

  std::uint8_t wheel_[hues][3] = {};
};

/// A stage body: the colours of the flow, drawn over the grey values of the first frame.
class Overlay {
 public:
  /// Takes the weight of the colours: 1 leaves nothing of the frame, and 0 nothing of the colours.
  explicit Overlay(float blend) : blend_(blend) {}

  tessera::Box footprint(int input, const tessera::Box& pixels) const {
    return input < 3 ? pixels : input == 3 ? tessera::Box{{0, 1}} : tessera::Box{{0, 3}};
  }

  template <class Plane, class Values>
  KOKKOS_FUNCTION auto operator()(const Plane& u, const Plane& v, const Plane& grey, const Values& largest,
                                  const Values& scale, tessera::Coordinate x, tessera::Coordinate y) const {
    const auto colour = colours_.colour_of(u(x, y) / largest(0), v(x, y) / largest(0));
    const float shown = (grey(x, y) * scale(0) - scale(1)) * scale(2);
    const auto mixed = [&](std::uint8_t channel) {
      const float mean = blend_ * static_cast<float>(channel) + (1 - blend_) * shown;
      return static_cast<std::uint8_t>(mean + 0.5f);
    };
    return tessera::pack(mixed(colour.red), mixed(colour.green), mixed(colour.blue));
  }

 private:
  ColourCode colours_;
  float blend_;
};

/// A stage body: the errors of the flow at a pixel. These are the distance from the true displacement, the
/// angle in degrees between (u, v, 1) and the true (u, v, 1), whether the distance is above 1 and above 3
/// pixels, and whether the truth is known. Without a known truth, all of them are 0.
struct Errors {
  tessera::Box footprint(int input, tessera::Box box) const {
    if (input < 2) return box;
    box.dimensions = 3;
    box[2] = {0, 2};
    return box;
  }

  template <class Flow, class Truth>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, const Truth& truth, tessera::Coordinate x,
                                  tessera::Coordinate y) const {
    const float true_u = truth(x, y, 0), true_v = truth(x, y, 1);
    const bool is_known = std::fabs(true_u) <= largest_known && std::fabs(true_v) <= largest_known;
    const float du = u(x, y) - true_u, dv = v(x, y) - true_v;
    // The cross product of (u, v, 1) and the true (u, v, 1) gives the sine of the angle, and their scalar
    // product its cosine. Unlike the cosine alone, both together are exact for small angles.
    const float cross = u(x, y) * true_v - v(x, y) * true_u;
    const float sine = std::sqrt(dv * dv + du * du + cross * cross);
    const float angle = std::atan2(sine, u(x, y) * true_u + v(x, y) * true_v + 1);
    const float distance = std::sqrt(du * du + dv * dv);
    return tessera::pack(is_known ? distance : 0.0f, is_known ? angle * degrees : 0.0f,
                         is_known && distance > 1, is_known && distance > 3, is_known);
  }

 private:
  static constexpr float degrees = 57.2957795130823f;
};

/// The body of a value: a sum divided by the number of pixels whose truth is known.
struct Share {
  template <class Sum, class Count, class Coord>
  KOKKOS_FUNCTION auto operator()(const Sum& sum, const Count& count, Coord) const {
    return tessera::cast<double>(sum(0)) / tessera::cast<double>(count(0));
  }
};

}  // namespace flow
