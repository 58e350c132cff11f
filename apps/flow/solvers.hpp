// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stages.hpp"

// The turns of the solvers of the equations of a warp (see Equations). All bodies can be called with the
// diffusivity, for Charbonnier's penalty, and without it.
namespace flow {

/// The components of a flow at a pixel.
template <class V>
struct Vector {
  V u, v;
};

/// Returns the mean of the neighbours of a pixel.
template <class In, class Coord>
KOKKOS_FORCEINLINE_FUNCTION auto mean_around(const In& in, const Coord& x, const Coord& y) {
  return sum_of_neighbours([&](int i, int j) { return in(x + i, y + j); });
}

/// Returns the mean of the neighbours of a pixel. The weight of each neighbour has a further factor: the sum
/// of the diffusivities of the pixel and the neighbour.
template <class In, class D, class Coord>
KOKKOS_FORCEINLINE_FUNCTION auto mean_around(const In& in, const D& diffusivity, const Coord& x,
                                             const Coord& y) {
  const auto own = diffusivity(x, y);
  const auto weight = [&](int i, int j) { return own + diffusivity(x + i, y + j); };
  return sum_of_neighbours([&](int i, int j) { return weight(i, j) * in(x + i, y + j); }) /
         sum_of_neighbours(weight);
}

/// Returns the flow that solves the equations of a pixel, given the mean of its neighbours.
template <class V, class In, class Coord>
KOKKOS_FORCEINLINE_FUNCTION auto solved(const V& mean_u, const V& mean_v, const In& gx, const In& gy,
                                        const In& h, const Coord& x, const Coord& y) {
  const auto a = gx(x, y), b = gy(x, y);
  const auto t = a * mean_u + b * mean_v - h(x, y);
  auto u = mean_u - a * t, v = mean_v - b * t;
  return Vector<decltype(u)>{u, v};
}

/// Returns the square of the distance between two flows at a pixel.
template <class V, class Before>
KOKKOS_FORCEINLINE_FUNCTION auto squared_distance(const V& u, const V& v, const Before& u_before,
                                                  const Before& v_before) {
  const auto du = u - u_before, dv = v - v_before;
  return du * du + dv * dv;
}

/// Returns the two components of a new iterate, the square of its distance from the iterate before, and
/// `further` values.
template <class V, class Before, class... Further>
KOKKOS_FORCEINLINE_FUNCTION auto with_change(const V& u, const V& v, const Before& u_before,
                                             const Before& v_before, const Further&... further) {
  return tessera::pack(u, v, squared_distance(u, v, u_before, v_before), further...);
}

/// A stage body: a turn of Jacobi's method, in which every pixel gets the flow that solves its equations.
struct Jacobi {
  template <class Flow, class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, const In& gx, const In& gy, const In& h,
                                  Coord x, Coord y) const {
    const auto next = solved(mean_around(u, x, y), mean_around(v, x, y), gx, gy, h, x, y);
    return with_change(next.u, next.v, u(x, y), v(x, y));
  }
  template <class Flow, class In, class D, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, const In& gx, const In& gy, const In& h,
                                  const D& diffusivity, Coord x, Coord y) const {
    const auto next =
        solved(mean_around(u, diffusivity, x, y), mean_around(v, diffusivity, x, y), gx, gy, h, x, y);
    return with_change(next.u, next.v, u(x, y), v(x, y));
  }
};

/// One of the four colours of pixels, which are the remainders of their coordinates by 2. As all eight
/// neighbours of a pixel count, two colours would not suffice.
struct Colour {
  int column, row;

  template <class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto has(const Coord& x, const Coord& y) const {
    return x % 2 == column && y % 2 == row;
  }
};

/// A stage body: a part of a turn of successive over-relaxation, in which one component of the flow of the
/// pixels of one colour goes beyond the value that solves the equation of this component. `g` and `other_g`
/// are the parts of the vector g along the component `own` and along the other one (see Equations).
struct Relax {
  Colour colour;
  float relaxation;

  template <class Own, class Other, class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const Own& own, const Other& other, const In& g, const In& other_g,
                                  const In& h, Coord x, Coord y) const {
    return relaxed(mean_around(own, x, y), own(x, y), other(x, y), g(x, y), other_g(x, y), h(x, y), x, y);
  }
  template <class Own, class Other, class In, class D, class Coord>
  KOKKOS_FUNCTION auto operator()(const Own& own, const Other& other, const In& g, const In& other_g,
                                  const In& h, const D& diffusivity, Coord x, Coord y) const {
    return relaxed(mean_around(own, diffusivity, x, y), own(x, y), other(x, y), g(x, y), other_g(x, y),
                   h(x, y), x, y);
  }

  /// Returns the component, given the mean of its neighbours. With the coefficients divided by a + |I|^2, the
  /// equation is  (1 - other_g^2) own = g (h - other_g other) + (1 - g^2 - other_g^2) mean.
  template <class V, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto relaxed(const V& mean, const V& own, const V& other, const V& g,
                                           const V& other_g, const V& h, const Coord& x,
                                           const Coord& y) const {
    const auto factor = 1.0f - other_g * other_g;
    const auto next = (g * (h - other_g * other) + (factor - g * g) * mean) / factor;
    return tessera::select(colour.has(x, y), own + relaxation * (next - own), own);
  }
};

/// A stage body: the last part of a turn of successive over-relaxation, for both components. `u_before` and
/// `v_before` are the iterate before the turn.
struct RelaxLast {
  Relax part;

  template <class Flow, class Before, class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, const Before& u_before,
                                  const Before& v_before, const In& gx, const In& gy, const In& h, Coord x,
                                  Coord y) const {
    return changed(mean_around(u, x, y), mean_around(v, x, y), u, v, u_before, v_before, gx, gy, h, x, y);
  }
  template <class Flow, class Before, class In, class D, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, const Before& u_before,
                                  const Before& v_before, const In& gx, const In& gy, const In& h,
                                  const D& diffusivity, Coord x, Coord y) const {
    return changed(mean_around(u, diffusivity, x, y), mean_around(v, diffusivity, x, y), u, v, u_before,
                   v_before, gx, gy, h, x, y);
  }

 private:
  template <class V, class Flow, class Before, class In, class Coord>
  KOKKOS_FORCEINLINE_FUNCTION auto changed(const V& mean_u, const V& mean_v, const Flow& u, const Flow& v,
                                           const Before& u_before, const Before& v_before, const In& gx,
                                           const In& gy, const In& h, const Coord& x, const Coord& y) const {
    const auto a = gx(x, y), b = gy(x, y), c = h(x, y);
    const auto next_u = part.relaxed(mean_u, u(x, y), v(x, y), a, b, c, x, y);
    const auto next_v = part.relaxed(mean_v, v(x, y), next_u, b, a, c, x, y);
    return with_change(next_u, next_v, u_before(x, y), v_before(x, y));
  }
};

/// The eigenvalues of Jacobi's iteration, for Chebyshev's acceleration. They lie between the least eigenvalue
/// of the mean of the neighbours and 1. Their largest is chosen such that `relaxation` would be the best
/// factor of over-relaxation.
struct Spectrum {
  /// The least eigenvalue of the mean with the weights of the article, and a lower limit for all other
  /// weights.
  static constexpr double least_of_mean = -1.0 / 3, least_of_any_mean = -1;

  /// The factor of Jacobi's step.
  float step;
  /// The radius of the eigenvalues of the iteration with this factor, squared.
  float radius_squared;

  Spectrum(double least, double relaxation) {
    const double greatest = std::sqrt(1 - (2 / relaxation - 1) * (2 / relaxation - 1));
    const double radius = (greatest - least) / (2 - greatest - least);
    step = static_cast<float>(2 / (2 - greatest - least));
    radius_squared = static_cast<float>(radius * radius);
  }
};

/// The body of a value: the weight of the next turn of Chebyshev's acceleration, from that of the turn
/// before, which is 0 at first (Golub and Varga, 1961).
struct ChebyshevWeight {
  float radius_squared;

  template <class Weight, class Coord>
  KOKKOS_FUNCTION auto operator()(const Weight& before, Coord) const {
    const auto weight = before(0);
    // The weights of the first three turns are 1, 1 / (1 - radius^2 / 2), 1 / (1 - radius^2 weight / 4).
    const auto share = tessera::select(weight == 1.0f, 0.5f, 0.25f);
    return 1.0f / (1.0f - radius_squared * share * weight);
  }
};

/// The body of a value that is 0.
struct NoWeight {
  template <class Coord>
  KOKKOS_FUNCTION float operator()(Coord) const {
    return 0;
  }
};

/// A stage body: a turn of Jacobi's method with Chebyshev's acceleration. `u_before` and `v_before` are the
/// iterate before (u, v). If `keeps_iterate`, the last two values of the body are u and v.
template <bool keeps_iterate>
struct Chebyshev {
  float step;

  template <class Flow, class Before, class Weight, class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, const Before& u_before,
                                  const Before& v_before, const Weight& weight, const In& gx, const In& gy,
                                  const In& h, Coord x, Coord y) const {
    return next(solved(mean_around(u, x, y), mean_around(v, x, y), gx, gy, h, x, y), u(x, y), v(x, y),
                u_before(x, y), v_before(x, y), weight(0));
  }
  template <class Flow, class Before, class Weight, class In, class D, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, const Before& u_before,
                                  const Before& v_before, const Weight& weight, const In& gx, const In& gy,
                                  const In& h, const D& diffusivity, Coord x, Coord y) const {
    return next(solved(mean_around(u, diffusivity, x, y), mean_around(v, diffusivity, x, y), gx, gy, h, x, y),
                u(x, y), v(x, y), u_before(x, y), v_before(x, y), weight(0));
  }

 private:
  template <class Next, class V, class W>
  KOKKOS_FORCEINLINE_FUNCTION auto next(const Next& to, const V& u, const V& v, const V& u_before,
                                        const V& v_before, const W& weight) const {
    const auto next_u = u_before + weight * (u + step * (to.u - u) - u_before);
    const auto next_v = v_before + weight * (v + step * (to.v - v) - v_before);
    if constexpr (keeps_iterate)
      return with_change(next_u, next_v, u, v, u, v);
    else
      return with_change(next_u, next_v, u, v);
  }
};

/// A stage body: the square of the distance between two flows.
struct SquaredChange {
  template <class Flow, class Before, class Coord>
  KOKKOS_FUNCTION auto operator()(const Flow& u, const Flow& v, const Before& u_before,
                                  const Before& v_before, Coord x, Coord y) const {
    return squared_distance(u(x, y), v(x, y), u_before(x, y), v_before(x, y));
  }
};

/// The body of a value: the root of a mean of squares.
struct RootMean {
  double pixels;

  template <class Sum, class Coord>
  KOKKOS_FUNCTION auto operator()(const Sum& sum, Coord) const {
    return tessera::sqrt(tessera::cast<double>(sum(0)) / pixels);
  }
};

/// The body of a value: whether a number is not above the tolerance.
struct IsAtMost {
  double tolerance;

  template <class Value, class Coord>
  KOKKOS_FUNCTION auto operator()(const Value& value, Coord) const {
    return tessera::select(value(0) <= tolerance, 1, 0);
  }
};

}  // namespace flow
