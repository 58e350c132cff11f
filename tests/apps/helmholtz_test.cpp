// SPDX-License-Identifier: BSD-3-Clause
// The solvers of Helmholtz's equation against plain loops, bit by bit, and against the exact solution.
#include "apps/helmholtz/stages.hpp"

#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace {

using namespace tessera;
using helmholtz::Norm;
using helmholtz::Problem;
using helmholtz::Solver;
using test::Point;

#ifdef TESSERA_TEST_FEWER
constexpr int problems = 25;
constexpr bool takes_long = true;
#else
constexpr int problems = 100;
constexpr bool takes_long = false;
#endif

/// Where a solver ended.
template <class T>
struct Ending {
  test::WholeArray<T> solution;
  double error = 0;
  std::int64_t turns = 0;
  double residual = 0;
  bool has_converged = false;
};

/// The four methods as plain loops over arrays with a border of zeros.
template <class T>
class Plain {
 public:
  explicit Plain(const Problem& problem)
      : problem_(problem),
        u_(Box{{0, problem.intervals_x + 1}, {0, problem.intervals_y + 1}}),
        before_(u_),
        f_(u_) {
    const double wx = double(problem.intervals_x) * double(problem.intervals_x) / 4;
    const double wy = double(problem.intervals_y) * double(problem.intervals_y) / 4;
    const double centre = 2 * wx + 2 * wy + problem.alpha;
    along_x_ = T(wx / centre);
    along_y_ = T(wy / centre);
    const auto alpha = T(problem.alpha);
    test::for_each_point(inside(), [&](const Point& p) {
      const T x = place(p[0], problem.intervals_x), y = place(p[1], problem.intervals_y);
      const T a = T(1) - x * x, b = T(1) - y * y;
      f_.at(p) = (-alpha * a * b - T(2) * a - T(2) * b) / T(centre);
    });
    const double pi = std::acos(-1.0);
    const double radius =
        (wx * std::cos(pi / double(problem.intervals_x)) + wy * std::cos(pi / double(problem.intervals_y))) /
        (wx + wy + problem.alpha / 2);
    radius_squared_ = T(radius * radius);
  }

  Ending<T> run() {
    Ending<T> ending;
    while (ending.turns < problem_.turns && !ending.has_converged) {
      const test::WholeArray<T> last = u_;
      turn(last);
      before_ = last;
      ++ending.turns;
      ending.residual = residual(last);
      ending.has_converged = problem_.tolerance && ending.residual <= *problem_.tolerance;
    }
    ending.solution = u_;
    test::for_each_point(u_.box, [&](const Point& p) {
      const T x = place(p[0], problem_.intervals_x), y = place(p[1], problem_.intervals_y);
      const T exact = (T(1) - x * x) * (T(1) - y * y);
      ending.error = std::max(ending.error, double(std::abs(u_.at(p) - exact)));
    });
    return ending;
  }

 private:
  Box inside() const { return {{1, problem_.intervals_x}, {1, problem_.intervals_y}}; }
  static T place(std::int64_t i, std::int64_t intervals) { return T(i) * T(2.0 / double(intervals)) - T(1); }

  T solved(const test::WholeArray<T>& u, const Point& p) const {
    const auto at = [&](int dx, int dy) {
      Point q = p;
      q.at[0] += dx;
      q.at[1] += dy;
      return u.at(q);
    };
    return along_x_ * (at(-1, 0) + at(1, 0)) + along_y_ * (at(0, -1) + at(0, 1)) - f_.at(p);
  }

  void turn(const test::WholeArray<T>& last) {
    if (problem_.solver == Solver::red_black) {
      // In place, as the books have it: no point of a colour reads another of its colour.
      for (int colour : {0, 1})
        test::for_each_point(inside(), [&](const Point& p) {
          if ((p[0] + p[1]) % 2 == colour)
            u_.at(p) = u_.at(p) + T(problem_.relaxation) * (solved(u_, p) - u_.at(p));
        });
      return;
    }
    if (problem_.solver == Solver::chebyshev) {
      weight_ = T(1) / (T(1) - radius_squared_ * (weight_ == T(1) ? T(0.5) : T(0.25)) * weight_);
      test::for_each_point(inside(), [&](const Point& p) {
        u_.at(p) = before_.at(p) + weight_ * (solved(last, p) - before_.at(p));
      });
      return;
    }
    test::for_each_point(inside(), [&](const Point& p) {
      u_.at(p) = last.at(p) + T(problem_.relaxation) * (solved(last, p) - last.at(p));
    });
  }

  double residual(const test::WholeArray<T>& last) const {
    T largest = 0;
    ExactSum<T> squares;
    test::for_each_point(inside(), [&](const Point& p) {
      const T change = u_.at(p) - last.at(p);
      largest = std::max(largest, std::abs(change));
      squares.add(change * change);
    });
    return problem_.norm == Norm::maximum ? double(largest)
                                          : std::sqrt(double(squares.value()) / double(inside().size()));
  }

  Problem problem_;
  test::WholeArray<T> u_, before_, f_;
  T along_x_ = 0, along_y_ = 0, radius_squared_ = 0, weight_ = 0;
};

template <class T>
Ending<T> rehearse(const Problem& problem, const Schedule& schedule, const Target& target, int ranks) {
  const Rounds rounds = in_rounds(helmholtz::make_pipeline<T>(problem), schedule);
  Ending<T> ending;
  test::ArraySink<T> solution(Box{{0, problem.intervals_x + 1}, {0, problem.intervals_y + 1}});
  test::ArraySink<T> error(Box{{0, 1}});
  Bindings bindings{{}, {{"solution", &solution}, {"largest_error", &error}}};
  bindings.after_loop = [&ending](const LoopProgress& progress) {
    ending.turns = progress.turns;
    ending.residual = progress.residual;
    ending.has_converged = progress.has_converged;
  };
  Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, target, ranks)).run(bindings);
  EXPECT_TRUE(solution.every_point_written_once());
  ending.solution = solution.array;
  ending.error = double(error.array.values.front());
  return ending;
}

Problem random_problem(test::Random& random) {
  Problem problem{.intervals_x = random.small(2, 40),
                  .intervals_y = random.small(2, 40),
                  .alpha = random.real(0, 3),
                  .solver = static_cast<Solver>(random.small(0, 3)),
                  .turns = random.small(1, 60),
                  .norm = static_cast<Norm>(random.small(0, 1))};
  if (problem.solver == Solver::weighted_jacobi) problem.relaxation = random.real(0.1, 1);
  if (problem.solver == Solver::red_black) problem.relaxation = random.real(0.5, 1.9);
  if (random.chance(70)) problem.tolerance = random.one_of<double>({0.0, 1e-3, 1e-2, 0.05});
  return problem;
}

template <class T>
void expect_plain(test::Random& random) {
  const Problem problem = random_problem(random);
  Schedule schedule = test::random_schedule(random, helmholtz::make_pipeline<T>(problem));
  test::add_random_rounds(random, helmholtz::make_pipeline<T>(problem), schedule);
  Target target;
  target.threads = random.small(1, 2);
  target.cache_bytes = random.chance(50) ? 64 : 0;
  const int ranks = test::random_rank_count(random);
  const Ending<T> expected = Plain<T>(problem).run();
  const Ending<T> ending = rehearse<T>(problem, schedule, target, ranks);
  const std::string text = "solver " + std::to_string(int(problem.solver)) + ", " +
                           std::to_string(problem.intervals_x) + " x " + std::to_string(problem.intervals_y) +
                           "; " + test::to_string(schedule) + " on " + std::to_string(ranks);
  EXPECT_TRUE(ending.solution.same_bits(expected.solution)) << text;
  EXPECT_EQ(ending.turns, expected.turns) << text;
  EXPECT_EQ(ending.residual, expected.residual) << text;
  EXPECT_EQ(ending.error, expected.error) << text;
  EXPECT_EQ(ending.has_converged, expected.has_converged) << text;
}

TEST(Helmholtz, SolversArePlainLoopsWithEveryScheduleOnManyRanks) {
  test::Random random(701);
  for (int i = 0; i < problems; ++i) {
    expect_plain<double>(random);
    expect_plain<float>(random);
  }
}

/// 64 x 64 intervals and a threshold of 0: nothing is left but rounding.
template <class T>
void expect_round_off(const Problem& problem, double most) {
  const Ending<T> ending = rehearse<T>(problem, {}, {}, 1);
  EXPECT_LE(ending.error, most) << "solver " << int(problem.solver);
}

TEST(Helmholtz, EverySolverReachesRoundOff) {
  const std::vector<Problem> quick = {
      {.solver = Solver::red_black, .relaxation = 1.9, .turns = 1000, .tolerance = 0.0},
      {.solver = Solver::chebyshev, .turns = 1000, .tolerance = 0.0}};
  const std::vector<Problem> slow = {
      {.solver = Solver::jacobi, .turns = 100000, .tolerance = 0.0},
      {.solver = Solver::weighted_jacobi, .relaxation = 0.8, .turns = 100000, .tolerance = 0.0},
      {.solver = Solver::red_black, .turns = 100000, .tolerance = 0.0}};
  for (const Problem& problem : quick) {
    expect_round_off<double>(problem, 1e-12);
    expect_round_off<float>(problem, 1e-4);
  }
  for (const Problem& problem : slow) {
    expect_round_off<float>(problem, 1e-4);
    if (!takes_long) expect_round_off<double>(problem, 1e-12);
  }
}

TEST(Helmholtz, ChebyshevNeedsFewerTurnsThanJacobi) {
  const auto turns = [](Solver solver) {
    const Problem problem{.solver = solver, .turns = 100000, .tolerance = 1e-5};
    return rehearse<double>(problem, {}, {}, 1).turns;
  };
  EXPECT_LT(10 * turns(Solver::chebyshev), turns(Solver::jacobi));
}

TEST(Helmholtz, IteratesThatDivergeEndWithAnError) {
  Problem problem{.solver = Solver::weighted_jacobi, .relaxation = 3, .turns = 100000};
  const std::string message = test::message_of<DivergedError>([&] { rehearse<float>(problem, {}, {}, 4); });
  EXPECT_NE(message.find("the loop 'solve' diverges: after turn "), std::string::npos) << message;
}

}  // namespace
