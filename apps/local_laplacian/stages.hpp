// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pyramid.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace local_laplacian {

// Local Laplacian filters (S. Paris, S. Hasinoff, J. Kautz, 2011; in the fast form of M. Aubry et al., 2014,
// and Halide's app). The image is remapped around each of the `curves` intensities k / 7, and has a Laplacian
// pyramid for each of them. A point of the result takes the two pyramids whose intensities are nearest to its
// own. All pyramids are one array of (k, x, y), where k is fastest: a point of all pyramids is one vector
// register.

/// The number of intensities that the image is remapped around.
inline constexpr int curves = 8;
/// The number of steps of the table `detail` from an intensity to the next one.
inline constexpr int steps_per_curve = 256;
inline constexpr int last_step = (curves - 1) * steps_per_curve;

/// The table of (k, step): how much detail is added to an image remapped around intensity k, at the distance
/// (step - 256 k) / 256 from this intensity.
struct Detail {
  float alpha;

  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord k, Coord step) const {
    const auto distance = tessera::cast<float>(step - steps_per_curve * k) / float(steps_per_curve);
    return alpha * distance * tessera::exp(distance * distance * -0.5f);
  }
};

/// The greatest value of a channel of an image of T.
template <class T>
inline constexpr float white = std::numeric_limits<T>::max();

/// Returns a channel of the image of T, from 0 to 1.
template <class T, class In, class Coord>
KOKKOS_FUNCTION auto channel(const In& in, const Coord& x, const Coord& y, int c) {
  return tessera::cast<float>(in(x, y, c)) * (1 / white<T>);
}

/// The brightness of a point, from 0 to 1.
template <class T>
struct Gray {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return 0.299f * channel<T>(in, x, y, 0) + 0.587f * channel<T>(in, x, y, 1) +
           0.114f * channel<T>(in, x, y, 2);
  }
};

/// Computes a point of the image that is remapped around intensity k.
struct Remapped {
  float beta;

  template <class V, class Details, class Index>
  KOKKOS_FUNCTION auto operator()(const V& gray, const Details& detail, const Index& k) const {
    const auto step = tessera::clamp(tessera::cast<int>(gray * float(last_step)), 0, last_step);
    const auto intensity = tessera::cast<float>(k) * (1.0f / (curves - 1));
    return beta * (gray - intensity) + intensity + detail(k, step);
  }
};

/// A point of all remapped images, as a line along k.
struct RemappedLine {
  static constexpr bool each_only = true;
  Remapped remapped;

  template <class Line, class In, class Details, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& gray, const Details& detail, Coord x, Coord y) const {
    const auto value = gray(x, y);
    line.each([&](const auto& k) { return remapped(value, detail, k); });
  }
};

/// Returns the intensity k below a value of the image. The other intensity around the value is k + 1.
template <class V>
KOKKOS_FUNCTION auto curve_of(const V& value) {
  return tessera::clamp(tessera::cast<int>(value * float(curves - 1)), 0, curves - 2);
}
/// Returns the share of intensity k + 1 at a value between k and k + 1.
template <class V, class K>
KOKKOS_FUNCTION auto share_of(const V& value, const K& k) {
  return value * float(curves - 1) - tessera::cast<float>(k);
}

/// The coarsest level of the result.
struct Coarsest {
  template <class In, class Levels, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Levels& levels, Coord x, Coord y) const {
    const auto value = in(x, y);
    const auto k = curve_of(value);
    const auto share = share_of(value, k);
    return (1.0f - share) * levels(k, x, y) + share * levels(k + 1, x, y);
  }
};

/// Computes the line of details of a point: for the two intensities around its value, the difference of the
/// level `fine` and the next coarser level, upsampled. Inlining is forced, as compilers do not inline such a
/// long function by themselves.
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

/// The details of a level, of (m, x, y), where m is 0 or 1 for the two intensities around a point's value.
struct Details {
  template <class Line, class In, class Levels, class Coarse, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, const Levels& levels, const Coarse& coarse,
                                  Coord x, Coord y) const {
    const auto fine = [&](const auto& k) { return levels(k, x, y); };
    details_of(line, fine, coarse, in(x, y), x, y);
  }
};

/// Computes the details of the finest level, whose remapped images are not kept.
struct FinestDetails {
  Remapped remapped;

  template <class Line, class In, class Table, class Coarse, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, const Table& detail, const Coarse& coarse,
                                  Coord x, Coord y) const {
    const auto value = in(x, y);
    const auto fine = [&](const auto& k) { return remapped(value, detail, k); };
    details_of(line, fine, coarse, value, x, y);
  }
};

/// A level of the result, two points at a time: the next coarser level, upsampled, and the details,
/// interpolated between the two intensities around the value of a point.
struct Collapse {
  template <class In, class Pair, class Result, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Pair& details, const Result& coarse, Coord x,
                                  Coord y) const {
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

/// The colours of the image of T, as bright as the result.
template <class T>
struct Colour {
  template <class In, class Gray_, class Bright, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Gray_& gray, const Bright& bright, Coord x,
                                  Coord y) const {
    constexpr float small = 0.01f;
    const auto factor = bright(x, y) / (gray(x, y) + small);
    const auto brightened = [&](int c) {
      const auto value = (channel<T>(in, x, y, c) + small) * factor;
      return tessera::cast<T>(tessera::clamp(value, 0.0f, 1.0f) * white<T>);
    };
    return tessera::pack(brightened(0), brightened(1), brightened(2));
  }
};

/// The parameters of the filter: the number of levels, how much detail is added, and how much of the contrast
/// between large areas is kept.
struct Parameters {
  int levels = 10;
  float alpha = 1.0f / (curves - 1);
  float beta = 1.0f;
};

/// Returns the pipeline. Its stages are `detail`, a table; `gray` and its pyramid `gray1`, ...; `remapped`
/// and its pyramids `level1`, ...; the pyramid of the result, from `out9` (with 10 levels) to `out0`, each
/// from `details`; and `result`. From level 3 on, levels are computed only where they vary: otherwise ten
/// levels would compute a thousand points beyond the image. The image and the result are of T, an unsigned
/// integer.
template <class T = std::uint16_t>
tessera::Pipeline make_pipeline(const tessera::Box& image, const Parameters& parameters = {}) {
  constexpr std::size_t first_within = 3;
  const Remapped remapped{parameters.beta};
  const auto count = static_cast<std::size_t>(parameters.levels);
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<T, 3>("input", image, tessera::Boundary::clamp);
  const auto detail = pipeline.stage<float, 2>("detail", Detail{parameters.alpha});
  std::vector<tessera::Array<float, 2>> gray(count), out(count);
  std::vector<tessera::Array<float, 3>> levels(count);
  gray[0] = pipeline.stage<float, 2>("gray", Gray<T>{}, input);
  levels[0] = pipeline.lines<float, 3, 0, curves>("remapped", RemappedLine{remapped}, gray[0], detail);
  const auto add_level = [&]<class Held>(std::size_t j, const Held& held) {
    const std::string number = std::to_string(j);
    gray[j] = pipeline.stage<float>("gray" + number, Down<Held>{held}, gray[j - 1]);
    levels[j] = pipeline.lines<float, 3, 0, curves>("level" + number, DownLine<Held>{held}, levels[j - 1]);
  };
  for (std::size_t j = 1; j < count; ++j)
    j <= first_within ? add_level(j, Everywhere{}) : add_level(j, Within::of(image, static_cast<int>(j) - 1));
  std::size_t j = count - 1;
  out[j] = pipeline.stage<float>("out" + std::to_string(j), Coarsest{}, gray[j], levels[j]);
  while (j-- > 0) {
    const std::string number = std::to_string(j);
    const std::string name = "details" + number;
    const auto details =
        j > 0 ? pipeline.lines<float, 3, 0, 2>(name, Details{}, gray[j], levels[j], levels[j + 1])
              : pipeline.lines<float, 3, 0, 2>(name, FinestDetails{remapped}, gray[0], detail, levels[1]);
    out[j] = pipeline.phases<float, 2>("out" + number, Collapse{}, gray[j], details, out[j + 1]);
  }
  const auto result = pipeline.planes<T, 3, 3>("result", Colour<T>{}, input, gray[0], out[0]);
  pipeline.output(result, image);
  return pipeline;
}

}  // namespace local_laplacian
