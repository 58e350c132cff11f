// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <type_traits>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace interpolate {

/// Returns the sum of three neighbours, weighted by 1 2 1.
template <class At>
KOKKOS_FUNCTION auto tent(const At& at) {
  return at(-1) + 2.0f * at(0) + at(1);
}

/// Returns a channel of the image, from 0 to 1. The greatest number of an integer type T stands for 1.
template <class T, class In, class Coord>
KOKKOS_FUNCTION auto channel(const In& image, const Coord& x, const Coord& y, int c) {
  if constexpr (std::is_same_v<T, float>)
    return image(x, y, c);
  else
    return tessera::cast<float>(image(x, y, c)) * (1.0f / float(tessera::highest<T>));
}

// The next stages halve the resolution in two steps: tents along y, then along x.

/// The first tent along y, of (x, y, channel). The channels are red, green and blue times alpha, and alpha.
template <class T>
struct PremultipliedRows {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto at = [&](int j, int c) { return channel<T>(in, x, 2 * y + j, c); };
    const auto colour = [&](int c) { return tent([&](int j) { return at(j, c) * at(j, 3); }); };
    const auto alpha = tent([&](int j) { return at(j, 3); });
    return tessera::pack(colour(0), colour(1), colour(2), alpha);
  }
};

/// A tent along y of a level.
struct Rows {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return tent([&](int j) { return in(x, 2 * y + j, c); });
  }
};

/// A tent along x of a level.
struct Columns {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& rows, Coord x, Coord y, Coord c) const {
    return tent([&](int i) { return rows(2 * x + i, y, c); }) * 0.0625f;
  }
};

/// A tent along y of a level, as Rows computes it. It reads no rows beyond [0, last].
struct ClampedRows {
  int last;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return tent([&](int j) { return in(x, tessera::clamp(2 * y + j, 0, last), c); });
  }
};

/// A tent along x of a level, as Columns computes it. It reads no columns beyond [0, last].
struct ClampedColumns {
  int last;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& rows, Coord x, Coord y, Coord c) const {
    return tent([&](int i) { return rows(tessera::clamp(2 * x + i, 0, last), y, c); }) * 0.0625f;
  }
};

/// Returns the points 2x and 2x + 1 of a channel of the next coarser level, upsampled by linear
/// interpolation.
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
template <class T>
struct Normalize {
  template <class Image, class Coarse, class Coord>
  KOKKOS_FUNCTION auto operator()(const Image& image, const Coarse& coarse, Coord x, Coord y) const {
    const auto at = [&](int phase, int c) { return channel<T>(image, 2 * x + phase, y, c); };
    const auto alpha0 = at(0, 3), alpha1 = at(1, 3);
    const auto hole0 = 1.0f - alpha0, hole1 = 1.0f - alpha1;
    const auto weights = upsampled_pair(coarse, x, y, 3);
    const auto scale0 = 1.0f / (alpha0 + hole0 * tessera::get<0>(weights));
    const auto scale1 = 1.0f / (alpha1 + hole1 * tessera::get<1>(weights));
    const auto first = [&](int c) {
      return (at(0, c) * alpha0 + hole0 * tessera::get<0>(upsampled_pair(coarse, x, y, c))) * scale0;
    };
    const auto second = [&](int c) {
      return (at(1, c) * alpha1 + hole1 * tessera::get<1>(upsampled_pair(coarse, x, y, c))) * scale1;
    };
    return tessera::pack(first(0), second(0), first(1), second(1), first(2), second(2));
  }
};

/// Returns the pipeline that interpolates the colours of the opaque points of an RGBA image over all other
/// points (Halide's app, after the pull-push algorithm of Gortler et al., The Lumigraph, 1996). Levels
/// `down1` to `down9` have half the resolution each, by way of `rows1` to `rows9`. Then come `up8` to `up1`,
/// and `interpolated`. The image is replicated beyond its edges, and level 3 beyond an eighth of its size;
/// other levels have no edges. T is the type of the samples: float, std::uint8_t or std::uint16_t.
template <class T = float>
tessera::Pipeline make_pipeline(const tessera::Box& image) {
  constexpr int levels = 10, clamped = 3;
  tessera::Pipeline pipeline;
  using Level = tessera::Array<float, 3>;
  const auto input = pipeline.input<T, 3>("input", image, tessera::Boundary::clamp);
  std::vector<Level> down(levels, Level{tessera::no_array});
  for (int level = 1; level < levels; ++level) {
    const std::string rows = "rows" + std::to_string(level), name = "down" + std::to_string(level);
    const auto last = [&](int d) { return static_cast<int>(image[d].size() >> clamped); };
    const Level finer = down[level - 1];
    if (level == 1)
      down[level] = pipeline.stage<float>(name, Columns{},
                                          pipeline.planes<float, 3, 4>(rows, PremultipliedRows<T>{}, input));
    else if (level == clamped + 1)
      down[level] = pipeline.stage<float>(name, ClampedColumns{last(0)},
                                          pipeline.stage<float>(rows, ClampedRows{last(1)}, finer));
    else
      down[level] = pipeline.stage<float>(name, Columns{}, pipeline.stage<float>(rows, Rows{}, finer));
  }
  Level coarse = down[levels - 1];
  for (int level = levels - 2; level > 0; --level)
    coarse = pipeline.planes<float, 3, 4, 2>("up" + std::to_string(level), Up{}, down[level], coarse);
  const auto result = pipeline.planes<float, 3, 3, 2>("interpolated", Normalize<T>{}, input, coarse);
  pipeline.output(result, tessera::Box{image[0], image[1], {0, 3}});
  return pipeline;
}

}  // namespace interpolate
