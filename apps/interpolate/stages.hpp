// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/pipeline/pipeline.hpp"

namespace interpolate {

/// The mean of 3x3 points around (0, 0), weighted by 1 2 1 in each direction.
template <class At>
KOKKOS_FUNCTION auto tent(const At& at) {
  const auto column = [&](int i) { return at(i, -1) + 2.0f * at(i, 0) + at(i, 1); };
  return (column(-1) + 2.0f * column(0) + column(1)) * 0.0625f;
}

/// Level 1 of (x, y, channel): red, green and blue times alpha, and alpha, at half the resolution.
struct DownPremultiplied {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto colour = [&](int c) {
      return tent([&](int i, int j) { return in(2 * x + i, 2 * y + j, c) * in(2 * x + i, 2 * y + j, 3); });
    };
    const auto alpha = tent([&](int i, int j) { return in(2 * x + i, 2 * y + j, 3); });
    return tessera::pack(colour(0), colour(1), colour(2), alpha);
  }
};

struct Down {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return tent([&](int i, int j) { return in(2 * x + i, 2 * y + j, c); });
  }
};

/// Does not read beyond [0, width] x [0, height].
struct DownClamped {
  int width;
  int height;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return tent([&](int i, int j) {
      return in(tessera::clamp(2 * x + i, 0, width), tessera::clamp(2 * y + j, 0, height), c);
    });
  }
};

/// The points 2x and 2x + 1 of a channel of the next coarser level, upsampled by linear interpolation.
template <class Coarse, class Coord>
KOKKOS_FUNCTION auto upsampled_pair(const Coarse& coarse, const Coord& x, const Coord& y, int c) {
  const auto column = [&](int i) { return (coarse(x + i, y / 2, c) + coarse(x + i, (y + 1) / 2, c)) / 2.0f; };
  const auto left = column(0);
  return tessera::pack(left, (left + column(1)) / 2.0f);
}

/// Fills what is transparent from the coarser level: fine + (1 - alpha) * upsampled; two points at a time.
struct Up {
  template <class Fine, class Coarse, class Coord>
  KOKKOS_FUNCTION auto operator()(const Fine& fine, const Coarse& coarse, Coord x, Coord y) const {
    const auto hole0 = 1.0f - fine(2 * x, y, 3), hole1 = 1.0f - fine(2 * x + 1, y, 3);
    const auto first = [&](int c) {
      return fine(2 * x, y, c) + hole0 * tessera::get<0>(upsampled_pair(coarse, x, y, c));
    };
    const auto second = [&](int c) {
      return fine(2 * x + 1, y, c) + hole1 * tessera::get<1>(upsampled_pair(coarse, x, y, c));
    };
    return tessera::pack(first(0), second(0), first(1), second(1), first(2), second(2), first(3), second(3));
  }
};

/// The last step up, from level 1 to the image, and its colours without alpha.
struct Normalize {
  template <class Image, class Coarse, class Coord>
  KOKKOS_FUNCTION auto operator()(const Image& image, const Coarse& coarse, Coord x, Coord y) const {
    const auto alpha0 = image(2 * x, y, 3), alpha1 = image(2 * x + 1, y, 3);
    const auto hole0 = 1.0f - alpha0, hole1 = 1.0f - alpha1;
    const auto weights = upsampled_pair(coarse, x, y, 3);
    const auto scale0 = 1.0f / (alpha0 + hole0 * tessera::get<0>(weights));
    const auto scale1 = 1.0f / (alpha1 + hole1 * tessera::get<1>(weights));
    const auto first = [&](int c) {
      return (image(2 * x, y, c) * alpha0 + hole0 * tessera::get<0>(upsampled_pair(coarse, x, y, c))) *
             scale0;
    };
    const auto second = [&](int c) {
      return (image(2 * x + 1, y, c) * alpha1 + hole1 * tessera::get<1>(upsampled_pair(coarse, x, y, c))) *
             scale1;
    };
    return tessera::pack(first(0), second(0), first(1), second(1), first(2), second(2));
  }
};

/// Interpolates the colours of the opaque points of an RGBA image over all others (Halide's app, after the
/// pull-push algorithm of Gortler et al., The Lumigraph, 1996): levels `down1` to `down9` at half the
/// resolution each, then `up8` to `up1`, and `interpolated`. Only the image is replicated beyond its edges,
/// and level 3 beyond an eighth of its size; other levels run on.
inline tessera::Pipeline make_pipeline(const tessera::Box& image) {
  constexpr int levels = 10, clamped = 3;
  tessera::Pipeline pipeline;
  using Level = tessera::Array<float, 3>;
  const auto input = pipeline.input<float, 3>("input", image, tessera::Boundary::clamp);
  std::vector<Level> down(levels, Level{0});
  down[1] = pipeline.planes<float, 3, 4>("down1", DownPremultiplied{}, input);
  for (int level = 1; level + 1 < levels; ++level) {
    const std::string name = "down" + std::to_string(level + 1);
    if (level == clamped)
      down[level + 1] = pipeline.stage<float>(
          name, DownClamped{static_cast<int>(image[0].size() / 8), static_cast<int>(image[1].size() / 8)},
          down[level]);
    else
      down[level + 1] = pipeline.stage<float>(name, Down{}, down[level]);
  }
  Level coarse = down[levels - 1];
  for (int level = levels - 2; level > 0; --level)
    coarse = pipeline.planes<float, 3, 4, 2>("up" + std::to_string(level), Up{}, down[level], coarse);
  const auto result = pipeline.planes<float, 3, 3, 2>("interpolated", Normalize{}, input, coarse);
  pipeline.output(result, tessera::Box{image[0], image[1], {0, 3}});
  return pipeline;
}

}  // namespace interpolate
