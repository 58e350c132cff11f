// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/pipeline/pipeline.hpp"

namespace local_laplacian {

// Local Laplacian filters (S. Paris, S. Hasinoff, J. Kautz, 2011; fast as M. Aubry et al., 2014, and Halide's
// app have it). The image is remapped around each of `curves` intensities, k / 7. A point of the result takes
// the Laplacian pyramids of the two remapped images whose intensities are nearest to its own. Their pyramids
// are one array of (k, x, y): with k fastest a point of all of them is one vector register.

inline constexpr int curves = 8;
inline constexpr int steps_per_curve = 256;
inline constexpr int last_step = (curves - 1) * steps_per_curve;

/// How much detail is added at distance (step - 256 k) / 256 from intensity k, of (k, step).
struct Detail {
  float alpha;

  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord k, Coord step) const {
    const auto distance = tessera::cast<float>(step - steps_per_curve * k) / float(steps_per_curve);
    return alpha * distance * tessera::exp(distance * distance * -0.5f);
  }
};

struct Gray {
  template <class In, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto channel = [&](int c) { return tessera::cast<float>(in(x, y, c)) * (1 / 65535.0f); };
    return 0.299f * channel(0) + 0.587f * channel(1) + 0.114f * channel(2);
  }
};

/// The image remapped around intensity k, at one point.
struct Remapped {
  float beta;

  template <class V, class Details, class Index>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& gray, const Details& detail, const Index& k) const {
    const auto step = tessera::clamp(tessera::cast<int>(gray * float(last_step)), 0, last_step);
    const auto intensity = tessera::cast<float>(k) * (1.0f / (curves - 1));
    return beta * (gray - intensity) + intensity + detail(k, step);
  }
};

struct RemappedLine {
  Remapped remapped;

  template <class Line, class In, class Details, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Line& line, const In& gray, const Details& detail, Coord x,
                                              Coord y) const {
    const auto value = gray(x, y);
    line.each([&](const auto& k) { return remapped(value, detail, k); });
  }
};

/// The mean of 4x4 points from (-1, -1) on, weighted by 1 3 3 1 in each direction.
template <class At>
KOKKOS_FORCEINLINE_FUNCTION auto quarter(const At& at) {
  const auto row = [&](int j) { return at(-1, j) + 3.0f * (at(0, j) + at(1, j)) + at(2, j); };
  return (row(-1) + 3.0f * (row(0) + row(1)) + row(2)) * 0.015625f;
}

/// Half the resolution.
struct Down {
  template <class In, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return quarter([&](int i, int j) { return in(2 * x + i, 2 * y + j); });
  }
};
struct DownLine {
  template <class Line, class In, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Line& line, const In& in, Coord x, Coord y) const {
    line.each(
        [&](const auto& k) { return quarter([&](int i, int j) { return in(k, 2 * x + i, 2 * y + j); }); });
  }
};

/// Where a level of the pyramid of an image that is replicated without end may differ from its neighbours: it
/// is constant along x, or y, beyond. Support of point x at level j: 2^j x - 2^j + 1 to 2^j x + 2^(j+1) - 2.
struct Extent {
  int last_x;
  int last_y;
  static constexpr int first = -2;

  static Extent of(const tessera::Box& image, int level) {
    const auto last = [&](std::int64_t extent) {
      return static_cast<int>((extent - 2 + (std::int64_t(1) << level) - 1) >> level) + 1;
    };
    return {last(image[0].size()), last(image[1].size())};
  }
  template <class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto x(const Coord& at) const {
    return tessera::clamp(at, first, last_x);
  }
  template <class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto y(const Coord& at) const {
    return tessera::clamp(at, first, last_y);
  }
};

/// Half the resolution of a level that is held where it varies only. The same values as by Down.
struct DownWithin {
  Extent extent;
  template <class In, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return quarter([&](int i, int j) { return in(extent.x(2 * x + i), extent.y(2 * y + j)); });
  }
};
struct DownLineWithin {
  Extent extent;
  template <class Line, class In, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Line& line, const In& in, Coord x, Coord y) const {
    line.each([&](const auto& k) {
      return quarter([&](int i, int j) { return in(k, extent.x(2 * x + i), extent.y(2 * y + j)); });
    });
  }
};

/// Twice the resolution, by linear interpolation between the centres of points, of at(x, y), at point x, y:
/// three quarters of the near point, a quarter of the next one.
template <class At, class Near, class Next, class Coord>
KOKKOS_FORCEINLINE_FUNCTION auto upsampled(const At& at, const Near& near_x, const Next& next_x,
                                           const Coord& y) {
  const auto row = [&](const auto& j) { return 0.75f * at(near_x, j) + 0.25f * at(next_x, j); };
  return 0.75f * row(y / 2) + 0.25f * row(y / 2 + 2 * (y % 2) - 1);
}

/// The two intensities around a value of the image, k and k + 1, and the share of the second.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION auto curve_of(const V& value) {
  return tessera::clamp(tessera::cast<int>(value * float(curves - 1)), 0, curves - 2);
}
template <class V, class K>
KOKKOS_FORCEINLINE_FUNCTION auto share_of(const V& value, const K& k) {
  return value * float(curves - 1) - tessera::cast<float>(k);
}

/// The coarsest level of the result.
struct Coarsest {
  template <class In, class Levels, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const In& in, const Levels& levels, Coord x, Coord y) const {
    const auto value = in(x, y);
    const auto k = curve_of(value);
    const auto share = share_of(value, k);
    return (1.0f - share) * levels(k, x, y) + share * levels(k + 1, x, y);
  }
};

/// The details of the two curves around a point's value, of (curve, x, y): what their level has that the next
/// coarser one, upsampled, has not. Two neighbours in memory.
template <class Line, class Fine, class Coarse, class V, class Coord>
KOKKOS_FORCEINLINE_FUNCTION void details_of(Line& line, const Fine& fine, const Coarse& coarse,
                                            const V& value, const Coord& x, const Coord& y) {
  const auto first = curve_of(value);
  const auto near_x = x / 2, next_x = x / 2 + 2 * (x % 2) - 1;
  line.each([&](const auto& m) {
    const auto k = first + m;
    return fine(k) -
           upsampled([&](const auto& i, const auto& j) { return coarse(k, i, j); }, near_x, next_x, y);
  });
}

struct Details {
  template <class Line, class In, class Levels, class Coarse, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Line& line, const In& in, const Levels& levels,
                                              const Coarse& coarse, Coord x, Coord y) const {
    details_of(
        line, [&](const auto& k) { return levels(k, x, y); }, coarse, in(x, y), x, y);
  }
};

/// Of the finest level, whose remapped images are not kept.
struct FinestDetails {
  Remapped remapped;

  template <class Line, class In, class Table, class Coarse, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Line& line, const In& in, const Table& detail,
                                              const Coarse& coarse, Coord x, Coord y) const {
    const auto value = in(x, y);
    details_of(
        line, [&](const auto& k) { return remapped(value, detail, k); }, coarse, value, x, y);
  }
};

/// A level of the result: the next coarser one, and the details between the two curves.
struct Collapse {
  template <class In, class Pair, class Result, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const In& in, const Pair& details, const Result& coarse,
                                              Coord x, Coord y) const {
    const auto point = [&](int phase) {
      const auto at = 2 * x + phase;
      const auto value = in(at, y);
      const auto share = share_of(value, curve_of(value));
      return (1.0f - share) * details(0, at, y) + share * details(1, at, y) +
             upsampled(coarse, x, x + (2 * phase - 1), y);
    };
    return tessera::pack(point(0), point(1));
  }
};

/// The colours of the image, as bright as the result.
struct Colour {
  template <class In, class Gray_, class Bright, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const In& in, const Gray_& gray, const Bright& bright, Coord x,
                                              Coord y) const {
    constexpr float small = 0.01f;
    const auto factor = bright(x, y) / (gray(x, y) + small);
    const auto channel = [&](int c) {
      const auto value = (tessera::cast<float>(in(x, y, c)) * (1 / 65535.0f) + small) * factor;
      return tessera::cast<std::uint16_t>(tessera::clamp(value, 0.0f, 1.0f) * 65535.0f);
    };
    return tessera::pack(channel(0), channel(1), channel(2));
  }
};

struct Parameters {
  int levels = 8;
  float alpha = 1.0f / (curves - 1);
  float beta = 1.0f;
};

/// Stages: `detail`, a table; `gray` and its pyramid `gray1`, ...; `remapped` and its pyramids `level1`, ...;
/// the pyramid of the result, from `out7` (with 8 levels) to `out0`, each from `details`; and `result`. From
/// level 3 on pyramids are held where they vary only: otherwise ten levels would compute a thousand points
/// beyond the image.
inline tessera::Pipeline make_pipeline(const tessera::Box& image, const Parameters& parameters = {}) {
  constexpr int first_within = 3;
  const Remapped remapped{parameters.beta};
  const auto count = static_cast<std::size_t>(parameters.levels);
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<std::uint16_t, 3>("input", image, tessera::Boundary::clamp);
  const auto detail = pipeline.stage<float, 2>("detail", Detail{parameters.alpha});
  std::vector<tessera::Array<float, 2>> gray(count), out(count);
  std::vector<tessera::Array<float, 3>> levels(count);
  gray[0] = pipeline.stage<float, 2>("gray", Gray{}, input);
  levels[0] = pipeline.lines<float, 3, 0, curves>("remapped", RemappedLine{remapped}, gray[0], detail);
  for (std::size_t j = 1; j < count; ++j) {
    const std::string number = std::to_string(j);
    const Extent extent = Extent::of(image, static_cast<int>(j) - 1);
    if (static_cast<int>(j) > first_within) {
      gray[j] = pipeline.stage<float>("gray" + number, DownWithin{extent}, gray[j - 1]);
      levels[j] =
          pipeline.lines<float, 3, 0, curves>("level" + number, DownLineWithin{extent}, levels[j - 1]);
    } else {
      gray[j] = pipeline.stage<float>("gray" + number, Down{}, gray[j - 1]);
      levels[j] = pipeline.lines<float, 3, 0, curves>("level" + number, DownLine{}, levels[j - 1]);
    }
  }
  std::size_t j = count - 1;
  out[j] = pipeline.stage<float>("out" + std::to_string(j), Coarsest{}, gray[j], levels[j]);
  while (j-- > 0) {
    const std::string number = std::to_string(j);
    const auto details =
        j > 0
            ? pipeline.lines<float, 3, 0, 2>("details" + number, Details{}, gray[j], levels[j], levels[j + 1])
            : pipeline.lines<float, 3, 0, 2>("details0", FinestDetails{remapped}, gray[0], detail, levels[1]);
    out[j] = pipeline.phases<float, 2>("out" + number, Collapse{}, gray[j], details, out[j + 1]);
  }
  const auto result = pipeline.planes<std::uint16_t, 3, 3>("result", Colour{}, input, gray[0], out[0]);
  pipeline.output(result, image);
  return pipeline;
}

}  // namespace local_laplacian
