// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "curve.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace camera_pipe {

// The Frankencamera's pipeline (A. Adams et al., 2010), as Halide's app has it. Arithmetic is that of 16-bit
// numbers, which wrap. Between the raw image and the result, pixels lie in planes of (x, y, plane) at half
// the resolution, one plane for each place of the Bayer pattern, so that neighbours in memory are treated
// alike.

/// Pixels of the raw image to the left of, and above, the result.
inline constexpr int left = 16, top = 12;

/// Returns a value modulo 2^16.
template <class V>
KOKKOS_FUNCTION auto wrap(const V& value) {
  return tessera::cast<std::uint16_t>(value);
}
/// Returns the mean of two numbers, rounded up.
template <class A, class B>
KOKKOS_FUNCTION auto mean(const A& a, const B& b) {
  using tessera::cast;
  return cast<tessera::number_type<A>>((cast<std::uint32_t>(a) + cast<std::uint32_t>(b) + 1u) / 2u);
}
template <class A, class B>
KOKKOS_FUNCTION auto brighter(const A& a, const B& b) {
  return wrap(tessera::max(a, b));
}
template <class A, class B>
KOKKOS_FUNCTION auto distance(const A& a, const B& b) {
  return wrap(tessera::max(a, b) - tessera::min(a, b));
}

/// A pixel of the raw image, made no brighter than the brightest of the four nearest pixels of its colour.
/// This removes hot pixels.
struct Denoise {
  template <class Raw, class Coord>
  KOKKOS_FUNCTION auto operator()(const Raw& raw, Coord x, Coord y) const {
    const auto at = [&](int i, int j) { return raw(x + (left + i), y + (top + j)); };
    return wrap(
        tessera::min(at(0, 0), brighter(brighter(at(-2, 0), at(2, 0)), brighter(at(0, -2), at(0, 2)))));
  }
};

/// The places of the pattern: green in red rows, red, blue, green in blue rows.
enum Place { green_r, red, blue, green_b };

/// The four places of the pattern as planes.
struct Deinterleave {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return tessera::pack(in(2 * x, 2 * y), in(2 * x + 1, 2 * y), in(2 * x, 2 * y + 1),
                         in(2 * x + 1, 2 * y + 1));
  }
};

/// Green where red and where blue were measured: the mean of its neighbours in the direction in which it
/// changes less.
struct Greens {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto r = [&](int i) { return in(x + i, y, green_r); };
    const auto r_below = in(x, y + 1, green_r);
    const auto b = [&](int i) { return in(x + i, y, green_b); };
    const auto b_above = in(x, y - 1, green_b);
    return tessera::pack(tessera::select(distance(r(1), r(0)) < distance(b_above, b(0)), mean(r(1), r(0)),
                                         mean(b_above, b(0))),
                         tessera::select(distance(b(-1), b(0)) < distance(r_below, r(0)), mean(b(-1), b(0)),
                                         mean(r_below, r(0))));
  }
};

/// The missing colours and the colour matrix, four pixels at a time: linear values of 10 bits. Planes 0 to 2
/// are red, green and blue of even rows, planes 3 to 5 of odd ones.
struct Develop {
  Matrix matrix;

  template <class In, class Green, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Green& green, Coord x, Coord y) const {
    const auto at = [&](int place, int i, int j) { return in(x + i, y + j, place); };
    const auto g_r = [&](int i, int j) { return green(x + i, y + j, 0); };
    const auto g_b = [&](int i, int j) { return green(x + i, y + j, 1); };
    // A colour is its neighbours' mean, corrected by how green differs from its own neighbours' mean.
    const auto corrected = [](const auto& middle, const auto& g0, const auto& g1, const auto& c0,
                              const auto& c1) {
      return wrap(tessera::cast<int>(middle) - tessera::cast<int>(mean(g0, g1)) +
                  tessera::cast<int>(mean(c0, c1)));
    };
    // The corrected mean along the diagonal in which the colour changes less.
    const auto diagonal = [&](const auto& middle, int place, const auto& g, int i0, int j0, int i1, int j1,
                              int k0, int l0, int k1, int l1) {
      const auto a0 = at(place, i0, j0), a1 = at(place, i1, j1), b0 = at(place, k0, l0),
                 b1 = at(place, k1, l1);
      return tessera::select(distance(a0, a1) < distance(b0, b1),
                             corrected(middle, g(i0, j0), g(i1, j1), a0, a1),
                             corrected(middle, g(k0, l0), g(k1, l1), b0, b1));
    };
    const auto gr = at(green_r, 0, 0), gb = at(green_b, 0, 0);
    const auto r_gr = corrected(gr, g_r(0, 0), g_r(-1, 0), at(red, -1, 0), at(red, 0, 0));
    const auto b_gr = corrected(gr, g_b(0, 0), g_b(0, -1), at(blue, 0, 0), at(blue, 0, -1));
    const auto r_gb = corrected(gb, g_r(0, 0), g_r(0, 1), at(red, 0, 0), at(red, 0, 1));
    const auto b_gb = corrected(gb, g_b(0, 0), g_b(1, 0), at(blue, 0, 0), at(blue, 1, 0));
    const auto r_b = diagonal(g_b(0, 0), red, g_r, 0, 0, -1, 1, -1, 0, 0, 1);
    const auto b_r = diagonal(g_r(0, 0), blue, g_b, 0, 0, 1, -1, 1, 0, 0, -1);
    const auto top_left = matched(r_gr, gr, b_gr), top_right = matched(at(red, 0, 0), g_r(0, 0), b_r);
    const auto low_left = matched(r_b, g_b(0, 0), at(blue, 0, 0)), low_right = matched(r_gb, gb, b_gb);
    using tessera::get;
    return tessera::pack(get<0>(top_left), get<0>(top_right), get<1>(top_left), get<1>(top_right),
                         get<2>(top_left), get<2>(top_right), get<0>(low_left), get<0>(low_right),
                         get<1>(low_left), get<1>(low_right), get<2>(low_left), get<2>(low_right));
  }

  /// Returns the colours of a pixel in sRGB.
  template <class R, class G, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto matched(const R& r, const G& g, const B& b) const {
    return tessera::pack(matched(0, r, g, b), matched(1, r, g, b), matched(2, r, g, b));
  }
  template <class R, class G, class B>
  KOKKOS_FORCEINLINE_FUNCTION auto matched(int row, const R& r, const G& g, const B& b) const {
    const auto term = [&](int column, const auto& value) {
      return int(matrix(column, row)) * tessera::cast<int>(tessera::cast<std::int16_t>(value));
    };
    const auto sum = int(matrix(3, row)) + term(0, r) + term(1, g) + term(2, b);
    // Division rounds towards 0. The lift makes the sum positive, so that it is rounded down.
    constexpr int lift = 1 << 27;
    const auto lifted = tessera::cast<int>(tessera::cast<std::uint32_t>(sum + lift) / 256u);
    const auto light = tessera::cast<std::int16_t>(lifted - lift / 256);
    return wrap(tessera::clamp(light, 0, 1023));
  }
};

/// The tone curve, applied to values below 1024.
struct Tone {
  Curve curve;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord plane) const {
    return curve.deferred(tessera::cast<int>(in(x, y, plane)));
  }
};

/// Adds the difference of a pixel and a blur of 3 x 3 pixels, multiplied by strength / 32.
struct Sharpen {
  int strength;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    const auto at = [&](int i, int j) { return in(x + i, (y + j) / 2, 3 * ((y + j) % 2) + c); };
    const auto column = [&](int i) { return mean(mean(at(i, -1), at(i, 1)), at(i, 0)); };
    using Number = std::int16_t;
    const auto middle = tessera::cast<Number>(at(0, 0));
    const auto blurred = tessera::cast<Number>(mean(mean(column(-1), column(1)), column(0)));
    const auto detail = tessera::cast<Number>((middle - blurred) * strength);
    // The lift makes this division round down, too, as in Develop, but in narrow lanes.
    constexpr int lift = 1 << 15;
    const auto lifted = tessera::cast<Number>(wrap(detail + lift) / 32);
    const auto added = tessera::cast<Number>(middle + lifted - lift / 32);
    return tessera::cast<std::uint8_t>(tessera::clamp(added, Number(0), Number(255)));
  }
};

/// The size of the result: whole blocks of 64x32 pixels, without the margin of the raw image.
inline tessera::Box result_of(const tessera::Box& raw) {
  return {{0, (raw[0].size() - 32) / 64 * 64}, {0, (raw[1].size() - 24) / 32 * 32}, {0, 3}};
}

/// Returns the pipeline from a raw image (GRBG, 10 bits in uint16) of 96 x 56 pixels or more to RGB. Its
/// stages are `denoised`, `bayer`, `greens`, `developed`, `toned` and `sharpened`. No boundary is ever read.
inline tessera::Pipeline make_pipeline(const tessera::Box& raw, const Parameters& parameters = {}) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<std::uint16_t, 2>("input", raw);
  const auto denoised = pipeline.stage<std::uint16_t>("denoised", Denoise{}, input);
  const auto bayer = pipeline.planes<std::uint16_t, 3, 4>("bayer", Deinterleave{}, denoised);
  const auto greens = pipeline.planes<std::uint16_t, 3, 2>("greens", Greens{}, bayer);
  const auto developed =
      pipeline.planes<std::uint16_t, 3, 6, 2>("developed", Develop{colour_matrix(parameters)}, bayer, greens);
  const auto toned = pipeline.stage<std::uint8_t>("toned", Tone{tone_curve(parameters)}, developed);
  const int strength = std::clamp(static_cast<int>(parameters.sharpening * 32), 0, 255);
  const auto sharpened = pipeline.stage<std::uint8_t>("sharpened", Sharpen{strength}, toned);
  pipeline.output(sharpened, result_of(raw));
  return pipeline;
}

}  // namespace camera_pipe
