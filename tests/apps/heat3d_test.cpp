// SPDX-License-Identifier: BSD-3-Clause
// Diffusion in a cube against a plain loop over all points, and against its closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "apps/heat3d/stages.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace {

using namespace tessera;
using heat3d::Problem;
using test::Point;

/// Slices, pencils and blocks, tiles and rounds of any kind.
Rounds random_rounds(test::Random& random, const Algorithm& pipeline, std::string& text) {
  const std::vector<std::vector<int>> grids = {{1, 1, 0}, {0, 1, 1}, {1, 0, 0}, {0, 0, 1}, {0, 0, 0}};
  Schedule schedule = test::random_schedule(random, pipeline);
  schedule.grid = GridRequest{random.one_of(grids)};
  for (auto& [name, stage] : schedule.stages)
    if (stage.grid && random.chance(70)) stage.grid.reset();
  if (random.chance(60)) test::add_random_rounds(random, pipeline, schedule);
  text = test::to_string(schedule);
  return in_rounds(pipeline, schedule);
}

Target random_target(test::Random& random) {
  Target target;
  target.threads = random.small(1, 2);
  target.device = random.chance(20);
  return target;
}

Problem random_problem(test::Random& random) {
  Problem problem;
  problem.is_periodic = random.chance(40);
  for (std::size_t d = 0; d < 3; ++d) {
    problem.intervals[d] = random.between(problem.is_periodic ? 3 : 2, 10);
    problem.mode[d] = problem.is_periodic ? 2 : random.between(1, problem.intervals[d] - 1);
  }
  problem.kappa = random.real(0.5, 2);
  double squares = 0;
  for (const auto n : problem.intervals) squares += static_cast<double>(n * n);
  problem.time_step = random.real(0.1, 0.5) / (problem.kappa * squares);
  problem.steps = random.between(1, 12);
  return problem;
}

/// The steps point by point, until none changes anything by more than the tolerance; returns how many.
template <class T>
std::int64_t plain_steps(const Problem& problem, test::WholeArray<T>& u) {
  const BoundaryConditions border =
      problem.is_periodic ? BoundaryConditions(Boundary::periodic) : BoundaryConditions::of_constant(T(0));
  const double scale = problem.kappa * problem.time_step;
  T ratio[3];
  for (std::size_t d = 0; d < 3; ++d)
    ratio[d] = static_cast<T>(scale * double(problem.intervals[d]) * double(problem.intervals[d]));
  for (std::int64_t step = 1;; ++step) {
    test::WholeArray<T> next(u.box);
    T change = 0;
    test::for_each_point(u.box, [&](const Point& p) {
      T bend[3];
      for (int d = 0; d < 3; ++d) {
        Point below = p, above = p;
        --below[d];
        ++above[d];
        bend[d] = u.bounded(border, below) + u.bounded(border, above) - 2 * u.at(p);
      }
      next.at(p) = u.at(p) + (ratio[0] * bend[0] + ratio[1] * bend[1] + ratio[2] * bend[2]);
      change = std::max(change, std::abs(next.at(p) - u.at(p)));
    });
    u = next;
    if (step == problem.steps || (problem.tolerance && change <= static_cast<T>(*problem.tolerance)))
      return step;
  }
}

/// The steps of the program on what lies in `first`.
template <class T>
Pipeline steps_of(const Problem& problem) {
  Pipeline pipeline;
  const auto u = pipeline.input<T, 3>(
      "u", problem.unknowns(),
      problem.is_periodic ? BoundaryConditions(Boundary::periodic) : BoundaryConditions::of_constant(T(0)));
  const auto progress = pipeline.values<double>("progress", heat3d::Begin{}, 2);
  heat3d::add_steps<T>(pipeline, problem, u, progress);
  pipeline.output(u);
  pipeline.output(progress);
  return pipeline;
}

template <class T>
void expect_plain_steps(test::Random& random) {
  Problem problem = random_problem(random);
  // Mostly held after some steps.
  if (random.chance(50)) problem.tolerance = random.real(0.1, 0.5);
  test::WholeArray<T> first(problem.unknowns());
  for (T& value : first.values) value = static_cast<T>(random.real(-1, 1));
  test::ArraySource<T> source(first);
  test::ArraySink<T> sink(first.box);
  test::ArraySink<double> progress(Box{{0, 2}});
  std::string text;
  const Rounds rounds = random_rounds(random, steps_of<T>(problem), text);
  const int ranks = test::random_rank_count(random);
  Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, random_target(random), ranks))
      .run({{{"u", &source}}, {{"u", &sink}, {"progress", &progress}}});
  const std::int64_t steps = plain_steps(problem, first);
  EXPECT_TRUE(sink.every_point_written_once());
  EXPECT_TRUE(sink.array.same_bits(first))
      << to_string(first.box) << " after " << steps << " steps on " << ranks << "; " << text;
  EXPECT_EQ(progress.array.values[0], static_cast<double>(steps)) << text;
}

TEST(Heat3d, StepsArePlainOnesWithEverySchedule) {
  test::Random random(731);
  for (int i = 0; i < 12; ++i) expect_plain_steps<double>(random);
  for (int i = 0; i < 8; ++i) expect_plain_steps<float>(random);
}

/// The results of a run.
template <class T>
struct Result {
  test::WholeArray<T> temperature;
  double error = 0, discrete_error = 0;
  T heat = 0;
  std::int64_t steps = 0;
};

template <class T>
Result<T> rehearsed(const Rounds& rounds, const Box& points, const Target& target, int ranks) {
  test::ArraySink<T> temperature(points), heat(Box{{0, 1}});
  test::ArraySink<double> error(Box{{0, 1}}), discrete_error(Box{{0, 1}});
  Result<T> result;
  Bindings bindings{{},
                    {{"temperature", &temperature},
                     {"heat", &heat},
                     {"error", &error},
                     {"discrete_error", &discrete_error}}};
  bindings.after_loop = [&result](const LoopProgress& progress) { result.steps = progress.turns; };
  Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, target, ranks)).run(bindings);
  EXPECT_TRUE(temperature.every_point_written_once());
  result.temperature = temperature.array;
  result.error = error.array.values[0];
  result.discrete_error = discrete_error.array.values[0];
  result.heat = heat.array.values[0];
  return result;
}

template <class T>
Result<T> on_one_rank(const Problem& problem) {
  return rehearsed<T>({heat3d::make_pipeline<T>(problem), {}}, problem.points(), {}, 1);
}

/// The solution of the continuous problem.
double exact(const Problem& problem, const Point& p, double time) {
  double value = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const double wave = double(problem.mode[d]) * std::numbers::pi;
    value *= std::sin(wave * double(p[static_cast<int>(d)]) / double(problem.intervals[d])) *
             std::exp(-problem.kappa * wave * wave * time);
  }
  return value;
}

template <class T>
void expect_closed_forms(const Problem& problem, const Result<T>& result) {
  const double rounding = 8 * double(std::numeric_limits<T>::epsilon()) * double(result.steps + 1);
  EXPECT_LE(result.discrete_error, rounding);
  double error = 0, heat = 0;
  test::for_each_point(problem.points(), [&](const Point& p) {
    const double value = result.temperature.at(p);
    error = std::max(error, std::abs(value - exact(problem, p, problem.time_step * double(result.steps))));
    heat += value;
    const bool is_on_face = !problem.is_periodic && !problem.unknowns().contains(p);
    EXPECT_TRUE(!is_on_face || value == 0) << value;
  });
  EXPECT_NEAR(result.error, error, 1e-13);
  EXPECT_NEAR(result.heat, heat, rounding * double(problem.points().size()));
}

template <class T>
void expect_same_bits_and_closed_forms(test::Random& random) {
  const Problem problem = random_problem(random);
  const Result<T> expected = on_one_rank<T>(problem);
  EXPECT_EQ(expected.steps, problem.steps);
  expect_closed_forms(problem, expected);
  std::string text;
  const Rounds rounds = random_rounds(random, heat3d::make_pipeline<T>(problem), text);
  const int ranks = test::random_rank_count(random);
  const Result<T> result = rehearsed<T>(rounds, problem.points(), random_target(random), ranks);
  EXPECT_TRUE(result.temperature.same_bits(expected.temperature)) << ranks << "; " << text;
  EXPECT_EQ(result.error, expected.error) << ranks << "; " << text;
  EXPECT_EQ(result.discrete_error, expected.discrete_error) << ranks << "; " << text;
  EXPECT_EQ(result.heat, expected.heat) << ranks << "; " << text;
}

TEST(Heat3d, SinesDieAwayAsTheirClosedFormsSay) {
  test::Random random(732);
  for (int i = 0; i < 6; ++i) expect_same_bits_and_closed_forms<double>(random);
  for (int i = 0; i < 4; ++i) expect_same_bits_and_closed_forms<float>(random);
}

TEST(Heat3d, OneUnknown) {
  Problem problem;
  problem.intervals = {2, 2, 2};
  problem.time_step = 1.0 / 32;
  problem.steps = 5;
  // The ratios are 1/8: a step leaves a quarter.
  const Result<double> result = on_one_rank<double>(problem);
  EXPECT_EQ(result.temperature.at({{1, 1, 1, 0}}), std::pow(0.25, 5));
  EXPECT_EQ(result.heat, std::pow(0.25, 5));
}

TEST(Heat3d, EndsInASteadyState) {
  Problem problem;
  problem.intervals = {6, 5, 8};
  problem.time_step = 0.4 / (36 + 25 + 64);
  problem.steps = 100000;
  problem.tolerance = 1e-9;
  const Result<double> result = on_one_rank<double>(problem);
  // A step changes what is left by the same share of it, most in the middle.
  double factor = 1, middle = 1;
  for (const auto n : problem.intervals) {
    const double sine = std::sin(std::numbers::pi / double(2 * n));
    factor -= 4 * problem.time_step * double(n * n) * sine * sine;
    middle *= std::cos(n % 2 == 0 ? 0 : std::numbers::pi / double(2 * n));
  }
  const double first = (1 - factor) * middle;
  EXPECT_EQ(result.steps, 1 + std::int64_t(std::ceil(std::log(1e-9 / first) / std::log(factor))));
}

/// How many times the error gets smaller when all intervals are halved, as a power of two.
double order(const Problem& coarse) {
  Problem fine = coarse;
  for (auto& n : fine.intervals) n *= 2;
  fine.time_step /= 4;
  fine.steps *= 4;
  return std::log2(on_one_rank<double>(coarse).error / on_one_rank<double>(fine).error);
}

TEST(Heat3d, IsOfSecondOrder) {
  Problem problem;
  problem.intervals = {8, 8, 8};
  problem.time_step = 0.4 / 192;
  problem.steps = 48;
  EXPECT_NEAR(order(problem), 2, 0.1);
  problem.intervals = {6, 12, 9};
  problem.mode = {1, 2, 1};
  problem.kappa = 0.5;
  problem.time_step = 0.3 / (0.5 * (36 + 144 + 81));
  problem.steps = 40;
  EXPECT_NEAR(order(problem), 2, 0.1);
  problem.is_periodic = true;
  problem.intervals = {20, 16, 18};
  problem.mode = {2, 2, 2};
  problem.time_step = 0.4 / (0.5 * (400 + 256 + 324));
  problem.steps = 20;
  EXPECT_NEAR(order(problem), 2, 0.1);
  // Where the errors of time and space cancel.
  problem = {.intervals = {8, 8, 8}, .time_step = 1.0 / (6 * 192), .steps = 64};
  EXPECT_NEAR(order(problem), 4, 0.1);
}

}  // namespace
