// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include "tessera/pipeline/algorithm/pipeline.hpp"

// u_xx + u_yy - alpha u = f on [-1, 1]^2 with u = 0 on the border. The solution is (1 - x^2)(1 - y^2).
// Differences of second order are exact for it, so that an iteration ends at its values except for rounding.
namespace helmholtz {

enum class Solver { jacobi, weighted_jacobi, red_black, chebyshev };
enum class Norm { maximum, root_mean_square };

/// The problem that a deck gives.
struct Problem {
  /// Intervals along x and y; their inner corners, 1 to intervals - 1, are unknowns.
  std::int64_t intervals_x = 64;
  std::int64_t intervals_y = 64;
  double alpha = 0.8;
  Solver solver = Solver::jacobi;
  /// How far Jacobi's and Gauss-Seidel's steps go.
  double relaxation = 1;
  std::int64_t turns = 1;
  /// The loop ends when the change of a turn is not above it; without it, after all turns.
  std::optional<double> tolerance = {};
  Norm norm = Norm::maximum;
};

/// The squares of the intervals' lengths give the weights of a point's neighbours in the equation.
inline double weight(std::int64_t intervals) {
  return static_cast<double>(intervals) * static_cast<double>(intervals) / 4;
}

/// The largest absolute eigenvalue of Jacobi's iteration, which Chebyshev's acceleration has to know.
inline double jacobi_radius(const Problem& problem) {
  const double wx = weight(problem.intervals_x), wy = weight(problem.intervals_y);
  const auto largest = [](std::int64_t intervals) {
    return std::cos(std::numbers::pi / static_cast<double>(intervals));
  };
  return (wx * largest(problem.intervals_x) + wy * largest(problem.intervals_y)) /
         (wx + wy + problem.alpha / 2);
}

/// Where a point lies in [-1, 1].
template <class T>
struct Axis {
  T step;

  explicit Axis(std::int64_t intervals) : step(static_cast<T>(2.0 / static_cast<double>(intervals))) {}

  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord i) const {
    return tessera::cast<T>(i) * step - T(1);
  }
};

template <class T>
struct Zero {
  template <class... Coord>
  KOKKOS_FUNCTION T operator()(Coord...) const {
    return T(0);
  }
};

/// f, divided by the weight of the point itself.
template <class T>
struct RightHandSide {
  Axis<T> x_axis, y_axis;
  T alpha, centre;

  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord i, Coord j) const {
    const auto x = x_axis(i), y = y_axis(j);
    const auto a = T(1) - x * x, b = T(1) - y * y;
    return (-alpha * a * b - T(2) * a - T(2) * b) / centre;
  }
};

/// The value of a point that solves the equation there, given its neighbours.
template <class T>
struct Solved {
  T along_x, along_y;

  explicit Solved(const Problem& problem)
      : along_x(static_cast<T>(weight(problem.intervals_x) / centre(problem))),
        along_y(static_cast<T>(weight(problem.intervals_y) / centre(problem))) {}

  /// The weight of the point itself, without its sign.
  static double centre(const Problem& problem) {
    return 2 * weight(problem.intervals_x) + 2 * weight(problem.intervals_y) + problem.alpha;
  }

  template <class U, class F, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const F& f, Coord x, Coord y) const {
    return along_x * (u(x - 1, y) + u(x + 1, y)) + along_y * (u(x, y - 1) + u(x, y + 1)) - f(x, y);
  }
};

/// A new iterate, and by how much it differs: its square, for a mean.
template <class T, bool IsSquared>
KOKKOS_FUNCTION auto with_change(auto next, auto before) {
  const auto change = next - before;
  if constexpr (IsSquared)
    return tessera::pack(next, change * change);
  else
    return tessera::pack(next, change);
}

/// A step from u towards what solves the equations one by one (Jacobi; relaxation 1 goes all the way).
template <class T, bool IsSquared>
struct Jacobi {
  Solved<T> solved;
  T relaxation;

  template <class U, class F, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const F& f, Coord x, Coord y) const {
    const auto before = u(x, y);
    return with_change<T, IsSquared>(before + relaxation * (solved(u, f, x, y) - before), before);
  }
};

/// The same where x + y is even; a half of Gauss-Seidel's.
template <class T>
struct Red {
  Solved<T> solved;
  T relaxation;

  template <class U, class F, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const F& f, Coord x, Coord y) const {
    const auto before = u(x, y);
    const auto next = before + relaxation * (solved(u, f, x, y) - before);
    return tessera::select((x + y) % 2 == 0, next, before);
  }
};

/// The other half, where x + y is odd; the change is that of both.
template <class T, bool IsSquared>
struct Black {
  Solved<T> solved;
  T relaxation;

  template <class R, class U, class F, class Coord>
  KOKKOS_FUNCTION auto operator()(const R& red, const U& u, const F& f, Coord x, Coord y) const {
    const auto half = red(x, y);
    const auto next = half + relaxation * (solved(red, f, x, y) - half);
    return with_change<T, IsSquared>(tessera::select((x + y) % 2 == 0, half, next), u(x, y));
  }
};

/// The weight of the next turn, from that of the turn before, which is 0 at first (Golub and Varga, 1961).
template <class T>
struct ChebyshevWeight {
  T radius_squared;

  template <class W, class Coord>
  KOKKOS_FUNCTION auto operator()(const W& before, Coord) const {
    const auto weight = before(0);
    const auto share = tessera::select(weight == T(1), T(0.5), T(0.25));
    return T(1) / (T(1) - radius_squared * share * weight);
  }
};

/// Jacobi's step, from the iterate before the last one.
template <class T, bool IsSquared>
struct Chebyshev {
  Solved<T> solved;

  template <class U, class B, class W, class F, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const B& before, const W& weight, const F& f, Coord x,
                                  Coord y) const {
    const auto far = before(x, y);
    return with_change<T, IsSquared>(far + weight(0) * (solved(u, f, x, y) - far), u(x, y));
  }
};

template <class T>
struct RootMean {
  double points;

  template <class Sum, class Coord>
  KOKKOS_FUNCTION auto operator()(const Sum& sum, Coord) const {
    return tessera::sqrt(tessera::cast<double>(sum(0)) / points);
  }
};

struct IsAtMost {
  double tolerance;

  template <class Value, class Coord>
  KOKKOS_FUNCTION auto operator()(const Value& value, Coord) const {
    return tessera::select(tessera::cast<double>(value(0)) <= tolerance, 1, 0);
  }
};

/// The solution with its border, and how far it is from the exact one.
template <class T>
struct WithError {
  Axis<T> x_axis, y_axis;

  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord i, Coord j) const {
    const auto x = x_axis(i), y = y_axis(j);
    return tessera::pack(u(i, j), u(i, j) - (T(1) - x * x) * (T(1) - y * y));
  }
};

/// The stages of one turn, and what ends the loop.
template <class T, bool IsSquared>
class Iteration {
 public:
  Iteration(tessera::Pipeline& pipeline, const Problem& problem, tessera::Array<T, 2> u,
            tessera::Array<T, 2> f, const tessera::Box& inside)
      : pipeline_(pipeline), problem_(problem), solved_(problem), u_(u), f_(f), inside_(inside) {}

  void solve() {
    if (problem_.solver == Solver::chebyshev) return accelerated();
    pipeline_.repeat("solve", problem_.turns, [this](const tessera::Pipeline::Loop& loop) {
      const T relaxation = static_cast<T>(problem_.relaxation);
      if (problem_.solver != Solver::red_black)
        return end_turn(loop, stages(Jacobi<T, IsSquared>{solved_, relaxation}, u_, f_));
      const auto red = pipeline_.template stage<T>("red", Red<T>{solved_, relaxation}, u_, f_);
      pipeline_.bound(red, inside_, tessera::BoundaryConditions::of_constant(T(0)));
      end_turn(loop, stages(Black<T, IsSquared>{solved_, relaxation}, red, u_, f_));
    });
  }

 private:
  template <class Body, class... In>
  auto stages(const Body& body, In... inputs) {
    return pipeline_.template stages<tessera::TypeList<T, T>>({"next", "change"}, body, inputs...);
  }

  void accelerated() {
    const auto before = pipeline_.template stage<T, 2>("before", Zero<T>());
    pipeline_.bound(before, inside_, {});
    const auto weight = pipeline_.template value<T>("weight", Zero<T>());
    const double radius = jacobi_radius(problem_);
    pipeline_.repeat("solve", problem_.turns, [&](const tessera::Pipeline::Loop& loop) {
      const auto now = pipeline_.template value<T>(
          "next_weight", ChebyshevWeight<T>{static_cast<T>(radius * radius)}, weight);
      const auto next = stages(Chebyshev<T, IsSquared>{solved_}, u_, before, now, f_);
      end_turn(loop, next);
      loop.feed(u_, before);
      loop.feed(now, weight);
    });
  }

  /// `outputs` are the next iterate and its change.
  template <class Outputs>
  void end_turn(const tessera::Pipeline::Loop& loop, const Outputs& outputs) {
    const auto& [next, change] = outputs;
    loop.feed(static_cast<tessera::Array<T, 2>>(next), u_);
    if constexpr (IsSquared) {
      const auto sum = pipeline_.reduce("sum", tessera::Sum<T>{}, change, inside_);
      end_loop(loop, pipeline_.template value<double>("residual",
                                                      RootMean<T>{static_cast<double>(inside_.size())}, sum));
    } else {
      end_loop(loop, pipeline_.reduce("residual", tessera::MaximumNorm<T>{}, change, inside_));
    }
  }

  template <class R>
  void end_loop(const tessera::Pipeline::Loop& loop, tessera::Array<R, 1> residual) {
    loop.watch(residual);
    if (problem_.tolerance)
      loop.until(pipeline_.template value<std::uint8_t>("done", IsAtMost{*problem_.tolerance}, residual));
  }

  tessera::Pipeline& pipeline_;
  const Problem& problem_;
  Solved<T> solved_;
  tessera::Array<T, 2> u_, f_;
  tessera::Box inside_;
};

/// Declares the loop `solve` and gives the last iterate, without border. The iterates `u` begin at 0, the
/// right-hand side `f` is computed once. Each turn computes `next` from them, Gauss-Seidel by way of `red`,
/// its `change`, and the norm of that, the `residual`.
template <class T>
tessera::Array<T, 2> solve(tessera::Pipeline& pipeline, const Problem& problem) {
  const tessera::Box inside{{1, problem.intervals_x}, {1, problem.intervals_y}};
  const Axis<T> x_axis(problem.intervals_x), y_axis(problem.intervals_y);
  const auto f = pipeline.stage<T, 2>("f", RightHandSide<T>{x_axis, y_axis, static_cast<T>(problem.alpha),
                                                            static_cast<T>(Solved<T>::centre(problem))});
  const auto u = pipeline.stage<T, 2>("u", Zero<T>());
  pipeline.bound(u, inside, tessera::BoundaryConditions::of_constant(T(0)));
  if (problem.norm == Norm::maximum)
    Iteration<T, false>(pipeline, problem, u, f, inside).solve();
  else
    Iteration<T, true>(pipeline, problem, u, f, inside).solve();
  return u;
}

/// The output is `solution`, the last iterate with its border; the number `largest_error` is how far it is
/// from the exact solution.
template <class T>
tessera::Pipeline make_pipeline(const Problem& problem) {
  const tessera::Box all{{0, problem.intervals_x + 1}, {0, problem.intervals_y + 1}};
  tessera::Pipeline pipeline;
  const auto u = solve<T>(pipeline, problem);
  const auto [solution, difference] = pipeline.stages<tessera::TypeList<T, T>>(
      {"solution", "difference"}, WithError<T>{Axis<T>(problem.intervals_x), Axis<T>(problem.intervals_y)},
      u);
  pipeline.output(solution, all);
  pipeline.output(pipeline.reduce("largest_error", tessera::MaximumNorm<T>{}, difference, all));
  return pipeline;
}

}  // namespace helmholtz
