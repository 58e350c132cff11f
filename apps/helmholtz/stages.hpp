// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include "tessera/pipeline/algorithm/pipeline.hpp"

// u_xx + u_yy - alpha u = f on [-1, 1]^2 with u = 0 on the border. The solution is (1 - x^2)(1 - y^2).
// Differences of second order are exact for this solution. An iteration therefore ends at it, except for
// rounding.
namespace helmholtz {

enum class Solver { jacobi, weighted_jacobi, red_black, chebyshev };
/// The change of a turn: the largest change of a point, or the root of the mean of the squares of all
/// changes.
enum class Norm { maximum, root_mean_square };

/// The problem that a deck gives.
struct Problem {
  /// The numbers of intervals along x and y. The points 1 to intervals - 1 are unknowns.
  std::int64_t intervals_x = 64;
  std::int64_t intervals_y = 64;
  double alpha = 0.8;
  Solver solver = Solver::jacobi;
  /// How far steps go towards the value that solves a point's equation; 1 reaches it.
  double relaxation = 1;
  std::int64_t turns = 1;
  /// The loop ends when the change of a turn is not above this. If it is not set, the loop has all turns.
  std::optional<double> tolerance = {};
  Norm norm = Norm::maximum;
};

/// Returns the weight of a point's neighbours along a dimension in its equation: 1 / h^2, where the length h
/// of an interval is 2 / intervals.
inline double weight(std::int64_t intervals) {
  return static_cast<double>(intervals) * static_cast<double>(intervals) / 4;
}

/// Returns the largest absolute eigenvalue of Jacobi's iteration, which Chebyshev's acceleration needs.
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

/// A number or a stage that is 0.
template <class T>
struct Zero {
  template <class... Coord>
  KOKKOS_FUNCTION T operator()(Coord...) const {
    return T(0);
  }
};

/// The right-hand side f, divided by the weight of the point itself.
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

/// Returns the next value of a point, and its change or the square of its change.
template <class T, bool IsSquared>
KOKKOS_FUNCTION auto with_change(auto next, auto before) {
  const auto change = next - before;
  if constexpr (IsSquared)
    return tessera::pack(next, change * change);
  else
    return tessera::pack(next, change);
}

/// A step of Jacobi's method: each point goes towards the value that solves its equation, given its
/// neighbours in u.
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

/// The first half of a step of Gauss-Seidel's method: the points where x + y is even. All others stay.
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

/// The second half of a step of Gauss-Seidel's method: the points where x + y is odd. The change is that of
/// both halves.
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
    // The weights of the first three turns are 1, 1 / (1 - radius^2 / 2), 1 / (1 - radius^2 weight / 4).
    const auto share = tessera::select(weight == T(1), T(0.5), T(0.25));
    return T(1) / (T(1) - radius_squared * share * weight);
  }
};

/// A step with Chebyshev's acceleration: it goes from the iterate before the last one towards the values that
/// Jacobi's step from the last one would give.
template <class T, bool IsSquared>
struct Chebyshev {
  Solved<T> solved;

  template <class U, class B, class W, class F, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const B& before, const W& weight, const F& f, Coord x,
                                  Coord y) const {
    const auto start = before(x, y);
    return with_change<T, IsSquared>(start + weight(0) * (solved(u, f, x, y) - start), u(x, y));
  }
};

/// The root of the mean of squares, from their sum.
template <class T>
struct RootMean {
  double points;

  template <class Sum, class Coord>
  KOKKOS_FUNCTION auto operator()(const Sum& sum, Coord) const {
    return tessera::sqrt(tessera::cast<double>(sum(0)) / points);
  }
};

/// Whether a number is at most the tolerance.
struct IsAtMost {
  double tolerance;

  template <class Value, class Coord>
  KOKKOS_FUNCTION auto operator()(const Value& value, Coord) const {
    return tessera::select(tessera::cast<double>(value(0)) <= tolerance, 1, 0);
  }
};

/// The solution with its border, and its difference from the exact solution.
template <class T>
struct WithError {
  Axis<T> x_axis, y_axis;

  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord i, Coord j) const {
    const auto x = x_axis(i), y = y_axis(j);
    return tessera::pack(u(i, j), u(i, j) - (T(1) - x * x) * (T(1) - y * y));
  }
};

/// Adds the loop of a solver. `u` is the iterate, and `inside` are its points.
template <class T, bool IsSquared>
class Iteration {
 public:
  Iteration(tessera::Pipeline& pipeline, const Problem& problem, tessera::Array<T, 2> u,
            tessera::Array<T, 2> f, const tessera::Box& inside)
      : pipeline_(pipeline), problem_(problem), solved_(problem), u_(u), f_(f), inside_(inside) {}

  void add_loop() {
    if (problem_.solver == Solver::chebyshev) return add_accelerated_loop();
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
  /// Adds the stage that computes the next iterate and its change.
  template <class Body, class... In>
  auto stages(const Body& body, In... inputs) {
    return pipeline_.template stages<tessera::TypeList<T, T>>({"next", "change"}, body, inputs...);
  }

  void add_accelerated_loop() {
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

  /// Feeds the next iterate, and adds the residual. `outputs` are the next iterate and its change.
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

  /// Lets the loop report the residual, and end by it if there is a tolerance.
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

/// Adds the loop `solve`, and returns the last iterate, without its border. The iterates `u` begin at 0, and
/// the right-hand side `f` is computed once. Each turn computes the next iterate, `next`, its `change`, and
/// the norm of the change, `residual`. Gauss-Seidel's method also has the stage `red`, the first half of a
/// turn.
template <class T>
tessera::Array<T, 2> solve(tessera::Pipeline& pipeline, const Problem& problem) {
  const tessera::Box inside{{1, problem.intervals_x}, {1, problem.intervals_y}};
  const Axis<T> x_axis(problem.intervals_x), y_axis(problem.intervals_y);
  const auto f = pipeline.stage<T, 2>("f", RightHandSide<T>{x_axis, y_axis, static_cast<T>(problem.alpha),
                                                            static_cast<T>(Solved<T>::centre(problem))});
  const auto u = pipeline.stage<T, 2>("u", Zero<T>());
  pipeline.bound(u, inside, tessera::BoundaryConditions::of_constant(T(0)));
  if (problem.norm == Norm::maximum)
    Iteration<T, false>(pipeline, problem, u, f, inside).add_loop();
  else
    Iteration<T, true>(pipeline, problem, u, f, inside).add_loop();
  return u;
}

/// Returns the pipeline. Its outputs are `solution`, the last iterate with its border, and the number
/// `largest_error`, the greatest difference between it and the exact solution.
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
