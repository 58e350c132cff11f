// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/pipeline/algorithm/pipeline.hpp"

// The stages from the two frames to the equations of a warp. They follow E. Meinhardt-Llopis, J. Sanchez and
// D. Kondermann: Horn-Schunck Optical Flow with a Multi-Scale Strategy, Image Processing On Line 3, 2013.
namespace flow {

/// A stage body: the grey value of a pixel of any type, as a float.
struct Grey {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return tessera::cast<float>(in(x, y));
  }
};

/// A stage body: the only channel of a pixel.
struct OnlyChannel {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return tessera::cast<float>(in(x, y, 0));
  }
};

/// A stage body: the luminance of a pixel with the channels red, green and blue (ITU-R BT.601).
struct Luminance {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return 0.299f * tessera::cast<float>(in(x, y, 0)) + 0.587f * tessera::cast<float>(in(x, y, 1)) +
           0.114f * tessera::cast<float>(in(x, y, 2));
  }
};

/// A reduction: the least and the greatest grey value.
struct GreyRange {
  /// The bits of the two values, in an order of integers that is the order of the floats.
  struct Value {
    std::int32_t least;
    std::int32_t greatest;
  };
  KOKKOS_FUNCTION void init(Value& value) const { value = {INT32_MAX, INT32_MIN}; }
  KOKKOS_FUNCTION void add(Value& value, const float& element, const tessera::Point&) const {
    const std::int32_t key = key_of(element);
    join(value, {key, key});
  }
  void add_row(Value& value, const float* elements, std::int64_t count) const {
    std::int32_t least = value.least, greatest = value.greatest;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t key = key_of(elements[i]);
      least = key < least ? key : least;
      greatest = key > greatest ? key : greatest;
    }
    value = {least, greatest};
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    value.least = other.least < value.least ? other.least : value.least;
    value.greatest = other.greatest > value.greatest ? other.greatest : value.greatest;
  }
  std::array<float, 2> result(const Value& value) const {
    return {tessera::bit_cast<float>(key_of_bits(value.least)),
            tessera::bit_cast<float>(key_of_bits(value.greatest))};
  }

 private:
  /// Reverses the order of negative numbers, whose bits are a sign and a magnitude. It is its own inverse.
  KOKKOS_FUNCTION static std::int32_t key_of_bits(std::int32_t bits) {
    return bits ^ ((bits >> 31) & INT32_MAX);
  }
  KOKKOS_FUNCTION static std::int32_t key_of(float element) {
    return key_of_bits(tessera::bit_cast<std::int32_t>(element));
  }
};

/// The body of a value: the scale that brings the grey values of both frames to [0, 255]. They are first
/// multiplied by element 0, then element 1 is subtracted, and then they are multiplied by element 2. Frames
/// with only one grey value become 0.
struct Scale {
  static constexpr int count = 3;

  template <class Range, class Coord>
  KOKKOS_FUNCTION auto operator()(const Range& first, const Range& second, Coord i) const {
    const auto least = tessera::min(first(0), second(0)), greatest = tessera::max(first(1), second(1));
    const auto magnitude = tessera::max(-least, greatest);
    // The width of very large values might overflow, and so might 255 / width for very small values. Powers
    // of two bring values near 1 without a rounding.
    const auto power =
        tessera::select(magnitude > 0x1p64f, 0x1p-64f, tessera::select(magnitude < 0x1p-40f, 0x1p100f, 1.0f));
    const auto offset = least * power;
    const auto width = greatest * power - offset;
    const auto factor = tessera::select(width > 0.0f, 255.0f / width, 1.0f);
    return tessera::select(i == 0, power, tessera::select(i == 1, offset, factor));
  }
};

/// The weights of a Gaussian, cut off and normalised as in the article's program.
inline std::vector<float> gaussian_weights(double sigma) {
  const int count = static_cast<int>(5 * sigma) + 1;
  std::vector<double> weights;
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    weights.push_back(sigma > 0 ? std::exp(-k * k / (2 * sigma * sigma)) : 1);
    sum += (k == 0 ? 1 : 2) * weights.back();
  }
  std::vector<float> result;
  for (const double weight : weights) result.push_back(static_cast<float>(weight / sum));
  return result;
}

/// The weights of a symmetric filter. Filters that reach at most `unrolled` pixels are filled with zeros up
/// to this reach, so that the compiler knows the number of weights.
template <bool IsUnrolled>
class Filter {
 public:
  static constexpr int unrolled = 5;
  static constexpr int most = 63;

  explicit Filter(const std::vector<float>& weights)
      : reach_(IsUnrolled ? unrolled : static_cast<int>(weights.size()) - 1) {
    std::copy(weights.begin(), weights.end(), weights_);
  }

  /// Returns the sum of the weights times at(-reach) to at(reach).
  template <class At>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const At& at) const {
    auto sum = weights_[0] * at(0);
    const int reach = IsUnrolled ? unrolled : reach_;
    for (int k = 1; k <= reach; ++k) sum = sum + weights_[k] * (at(-k) + at(k));
    return sum;
  }

 private:
  int reach_;
  float weights_[most + 1] = {};
};

/// A stage body: rows of a frame, scaled and smoothed along x.
template <bool IsUnrolled>
struct SmoothScaledRows {
  Filter<IsUnrolled> filter;

  template <class In, class Scale, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Scale& scale, Coord x, Coord y) const {
    const auto power = scale(0), offset = scale(1);
    return filter([&](int k) { return in(x + k, y) * power - offset; }) * scale(2);
  }
};

/// A stage body: rows smoothed along x.
template <bool IsUnrolled>
struct SmoothRows {
  Filter<IsUnrolled> filter;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return filter([&](int k) { return in(x + k, y); });
  }
};

/// A stage body: rows smoothed along y.
template <bool IsUnrolled>
struct SmoothColumns {
  Filter<IsUnrolled> filter;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return filter([&](int k) { return in(x, y + k); });
  }
};

/// The weights of the points -1, 0, 1 and 2 in the cubic convolution at the place `t` in [0, 1).
template <class T>
struct CubicWeights {
  T weight[4];

  KOKKOS_FORCEINLINE_FUNCTION explicit CubicWeights(T t)
      : weight{0.5f * t * (t * (2.0f - t) - 1.0f), 0.5f * t * t * (3.0f * t - 5.0f) + 1.0f,
               0.5f * t * (t * (4.0f - 3.0f * t) + 1.0f), 0.5f * t * t * (t - 1.0f)} {}
};

/// Returns the bicubic interpolation of the 4 x 4 points (x - 1, y - 1) to (x + 2, y + 2) of an image.
template <class In, class Coord, class T>
KOKKOS_FORCEINLINE_FUNCTION auto bicubic(const In& in, const Coord& x, const Coord& y,
                                         const CubicWeights<T>& along_x, const CubicWeights<T>& along_y) {
  const auto row = [&](int j) {
    return along_x.weight[0] * in(x - 1, y + j) + along_x.weight[1] * in(x, y + j) +
           along_x.weight[2] * in(x + 1, y + j) + along_x.weight[3] * in(x + 2, y + j);
  };
  return along_y.weight[0] * row(-1) + along_y.weight[1] * row(0) + along_y.weight[2] * row(1) +
         along_y.weight[3] * row(2);
}

/// A stage body: an image at half the resolution. `Zoom` gives the same for 0.5, as it then interpolates at
/// points of the image only.
struct Halve {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(2 * x, 2 * y);
  }
};

/// A stage body: an image at another resolution. The pixel (x, y) is interpolated at (x, y) / zoom.
struct Zoom {
  float zoom;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto at_x = tessera::cast<float>(x) / zoom, at_y = tessera::cast<float>(y) / zoom;
    const auto left = tessera::floor(at_x), top = tessera::floor(at_y);
    return bicubic(in, tessera::cast<int>(left), tessera::cast<int>(top), CubicWeights(at_x - left),
                   CubicWeights(at_y - top));
  }
};

/// A stage body: the derivative of an image along a dimension, as a central difference. Beyond the image, the
/// pixels of its edge count. The boundary conditions of the image repeat only its last row and column.
template <int Dimension>
struct Derivative {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    if constexpr (Dimension == 0)
      return 0.5f * (in(x + 1, y) - in(tessera::max(x - 1, 0), y));
    else
      return 0.5f * (in(x, y + 1) - in(x, tessera::max(y - 1, 0)));
  }
};

/// A stage body of a component of the flow that is 0.
struct Still {
  template <class Coord>
  KOKKOS_FUNCTION float operator()(Coord, Coord) const {
    return 0;
  }
};

/// A stage body: a component of the flow of a coarser level, at the resolution and in the pixels of this
/// level.
struct Enlarge {
  /// The extents of this level divided by those of the coarser level.
  float factor_x, factor_y;
  /// The factor of displacements, which is 1 / zoom.
  float factor;

  template <class Flow, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& flow, Coord x, Coord y) const {
    const auto at_x = tessera::cast<float>(x) / factor_x, at_y = tessera::cast<float>(y) / factor_y;
    const auto left = tessera::floor(at_x), top = tessera::floor(at_y);
    return bicubic(flow, tessera::cast<int>(left), tessera::cast<int>(top), CubicWeights(at_x - left),
                   CubicWeights(at_y - top)) *
           factor;
  }
};

/// A stage body: a copy of a component of the flow.
struct Copy {
  template <class Flow, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& flow, Coord x, Coord y) const {
    return flow(x, y);
  }
};

/// Returns 1 / (2 sqrt(square + epsilon^2)), the derivative of Charbonnier's penalty of a square.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION auto charbonnier_slope(V square) {
  constexpr float epsilon = 0.001f;
  return 0.5f / tessera::sqrt(square + epsilon * epsilon);
}

/// A stage body: the weight of smoothness at a pixel, by Charbonnier's penalty of the gradients of the flow.
struct Diffusivity {
  template <class Flow, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, Coord x, Coord y) const {
    const auto ux = 0.5f * (u(x + 1, y) - u(x - 1, y)), uy = 0.5f * (u(x, y + 1) - u(x, y - 1));
    const auto vx = 0.5f * (v(x + 1, y) - v(x - 1, y)), vy = 0.5f * (v(x, y + 1) - v(x, y - 1));
    return charbonnier_slope(ux * ux + uy * uy + vx * vx + vy * vy);
  }
};

/// Returns the sum over the eight neighbours of a pixel of their weights in the article's mean, each times
/// at(i, j), where (i, j) is the neighbour's offset.
template <class At>
KOKKOS_FORCEINLINE_FUNCTION auto sum_of_neighbours(const At& at) {
  const auto sides = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1);
  const auto corners = at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1);
  return (1.0f / 6.0f) * sides + (1.0f / 12.0f) * corners;
}

/// A stage body: the equations of a warp, which linearises the second frame at the flow (u, v).
///
/// With I = (Ix, Iy) as the warped derivatives, the flow of the least energy obeys, at each pixel, the two
/// equations  (I I^T + a) (u, v) = a (mean u, mean v) + I d,  where d is what I (u, v) must be, and `a` the
/// weight of smoothness. Their solution, given the means of the neighbours, is
///
///     (u, v) = (mean u, mean v) - g t,  t = g (mean u, mean v) - h,
///
/// with g = I / sqrt(a + |I|^2) and h = d / sqrt(a + |I|^2). So g and h, three numbers a pixel, are all that
/// the turns of the solver need, and these turns do not divide. Where the warped position is not surrounded
/// by pixels, g is 0, and the flow is the mean of its neighbours.
struct Equations {
  /// The extents of the level.
  int width, height;
  /// The weight of smoothness.
  float smoothness;
  /// The largest displacement of a warp. Larger components of the flow are limited to it when they warp.
  float reach;

  template <class In, class Flow, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& first, const In& second, const In& dx, const In& dy,
                                  const Flow& u, const Flow& v, Coord x, Coord y) const {
    const auto terms = linearised(first, second, dx, dy, u, v, x, y);
    const auto &ix = tessera::get<0>(terms), &iy = tessera::get<1>(terms);
    const auto root = tessera::sqrt(1.0f / (smoothness + ix * ix + iy * iy));
    return tessera::pack(ix * root, iy * root, tessera::get<2>(terms) * root);
  }
  /// The equations with Charbonnier's penalties. The weight of the data term is that of the flow at the
  /// beginning of the warp, and so is the weight of smoothness, which `diffusivity` has.
  template <class In, class Flow, class D, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& first, const In& second, const In& dx, const In& dy,
                                  const Flow& u, const Flow& v, const D& diffusivity, Coord x,
                                  Coord y) const {
    const auto terms = linearised(first, second, dx, dy, u, v, x, y);
    const auto &ix = tessera::get<0>(terms), &iy = tessera::get<1>(terms);
    const auto difference = tessera::get<3>(terms);
    const auto weight = charbonnier_slope(difference * difference);
    const auto own = diffusivity(x, y);
    const auto spread =
        sum_of_neighbours([&](int i, int j) { return 0.5f * (own + diffusivity(x + i, y + j)); });
    const auto root = tessera::sqrt(weight / (smoothness * spread + weight * (ix * ix + iy * iy)));
    return tessera::pack(ix * root, iy * root, tessera::get<2>(terms) * root);
  }

 private:
  /// Returns Ix, Iy, d, and the difference of the warped second frame from the first one.
  template <class In, class Flow, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto linearised(const In& first, const In& second, const In& dx, const In& dy,
                                              const Flow& u, const Flow& v, Coord x, Coord y) const {
    const auto shift_x = tessera::clamp(u(x, y), -reach, reach);
    const auto shift_y = tessera::clamp(v(x, y), -reach, reach);
    const auto at_x = tessera::cast<float>(x) + shift_x, at_y = tessera::cast<float>(y) + shift_y;
    const auto left = tessera::floor(at_x), top = tessera::floor(at_y);
    // Positions are compared as floats, as a flow that diverges may be too large for integers.
    const auto is_inside = left >= 1.0f && left <= static_cast<float>(width - 3) && top >= 1.0f &&
                           top <= static_cast<float>(height - 3);
    const auto i = tessera::cast<int>(tessera::clamp(left, 0.0f, static_cast<float>(width - 1)));
    const auto j = tessera::cast<int>(tessera::clamp(top, 0.0f, static_cast<float>(height - 1)));
    const CubicWeights along_x(at_x - left), along_y(at_y - top);
    const auto warped = [&](const In& in) {
      return tessera::select(is_inside, bicubic(in, i, j, along_x, along_y), 0.0f);
    };
    const auto ix = warped(dx), iy = warped(dy);
    const auto difference = warped(second) - first(x, y);
    return tessera::pack(ix, iy, ix * shift_x + iy * shift_y - difference, difference);
  }
};

}  // namespace flow
