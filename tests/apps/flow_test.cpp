// SPDX-License-Identifier: BSD-3-Clause
// The flow of known motions, and the same bits whatever the schedule is.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "apps/flow/pipeline.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using flow::Settings, flow::Solver, flow::Penalty;
using test::Random;
using test::WholeArray;

#ifdef TESSERA_TEST_FEWER
constexpr int cases = 4;
#else
constexpr int cases = 16;
#endif

/// A displacement.
struct Shift {
  double u, v;
};
/// The displacement at each point of the first frame.
using Motion = std::function<Shift(double x, double y)>;

/// Two frames, and how the first one moves.
template <class T>
struct Scene {
  WholeArray<T> first, second;
  WholeArray<float> truth;
};

/// A smooth texture.
double texture(double x, double y) {
  return 120 + 40 * std::sin(0.21 * x + 0.05 * y) + 35 * std::cos(0.17 * y - 0.08 * x) +
         25 * std::sin(0.11 * x) * std::sin(0.13 * y);
}

/// The second frame is the texture, and the first one is what a motion takes from there.
template <class T>
Scene<T> scene_of(std::int64_t width, std::int64_t height, const Motion& motion) {
  const Box box{{0, width}, {0, height}};
  Scene<T> scene{WholeArray<T>(box), WholeArray<T>(box), WholeArray<float>({box[0], box[1], {0, 2}})};
  test::for_each_point(box, [&](const Point& p) {
    const auto x = static_cast<double>(p[0]), y = static_cast<double>(p[1]);
    const Shift shift = motion(x, y);
    scene.first.at(p) = static_cast<T>(texture(x + shift.u, y + shift.v));
    scene.second.at(p) = static_cast<T>(texture(x, y));
    scene.truth.at({{p[0], p[1], 0, 0}}) = static_cast<float>(shift.u);
    scene.truth.at({{p[0], p[1], 1, 0}}) = static_cast<float>(shift.v);
  });
  return scene;
}

/// The results of a run.
struct Result {
  WholeArray<float> flow;
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<std::int64_t>> turns;

  bool operator==(const Result& other) const {
    return flow.same_bits(other.flow) && numbers == other.numbers && turns == other.turns;
  }
};

template <class T>
Result run(const Scene<T>& scene, const Settings& settings, int ranks, const Schedule& schedule = {}) {
  const Pipeline declared =
      flow::make_pipeline(scene.first.box, element_type_of<T>(), settings, {.has_truth = true});
  const Rounds rounds = in_rounds(declared, schedule);
  test::ArraySource<T> first(scene.first), second(scene.second);
  test::ArraySource<float> truth(scene.truth);
  Result result;
  test::ArraySink<float> sink(scene.truth.box);
  Bindings bindings{{{"input", &first}, {"frame_1", &second}, {"truth", &truth}}, {{"flow", &sink}}};
  std::map<std::string, test::ArraySink<double>> numbers;
  for (const char* name :
       {"average_endpoint_error", "average_angular_error", "share_above_1", "share_above_3"})
    bindings.sinks.emplace(name, &numbers.emplace(name, Box{{0, 1}}).first->second);
  bindings.after_loop = [&](const LoopProgress& progress) {
    const std::string& loop = rounds.pipeline.loops()[static_cast<std::size_t>(progress.loop)].name;
    result.turns[loop].push_back(progress.turns);
  };
  Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, {}, ranks)).run(bindings);
  EXPECT_TRUE(sink.every_point_written_once());
  result.flow = sink.array;
  for (const auto& [name, number] : numbers) result.numbers[name] = number.array.values.front();
  return result;
}

const std::map<std::string, Motion> motions = {{"translation",
                                                [](double, double) {
                                                  return Shift{3.3, -1.7};
                                                }},
                                               {"rotation",
                                                [](double x, double y) {
                                                  return Shift{-0.05 * (y - 40), 0.05 * (x - 50)};
                                                }},
                                               {"zoom", [](double x, double y) {
                                                  return Shift{0.04 * (x - 50), 0.04 * (y - 40)};
                                                }}};

TEST(Flow, FindsKnownMotions) {
  for (const auto& [name, motion] : motions) {
    const auto scene = scene_of<float>(101, 83, motion);
    for (const Solver solver : {Solver::jacobi, Solver::red_black, Solver::chebyshev})
      for (const Penalty penalty : {Penalty::quadratic, Penalty::charbonnier}) {
        Settings settings;
        settings.solver = solver;
        settings.penalty = penalty;
        Result result = run(scene, settings, 1);
        EXPECT_LT(result.numbers["average_endpoint_error"], 0.07) << name;
        EXPECT_LT(result.numbers["average_angular_error"], 1.2) << name;
        EXPECT_EQ(result.numbers["share_above_1"], 0) << name;
      }
  }
}

/// Random parameters whose loops end after a few turns.
Settings random_settings(Random& random, const Box& frame) {
  Settings settings;
  settings.penalty = random.one_of<Penalty>({Penalty::quadratic, Penalty::charbonnier});
  settings.solver = random.one_of<Solver>({Solver::jacobi, Solver::red_black, Solver::chebyshev});
  settings.zoom = random.one_of<double>({0.5, 0.5, 0.7, 0.3});
  settings.levels = random.small(1, std::min(flow::most_levels(frame, settings.zoom), 4));
  settings.alpha = random.one_of<double>({1, 7, 15});
  settings.presmoothing = random.one_of<double>({0, 0.8, 1.7});
  settings.warps = random.small(1, 3);
  settings.turns = random.small(1, 9);
  settings.tolerance = random.one_of<double>({0, 0.01, 0.05});
  settings.warp_tolerance = random.one_of<double>({0, 0.05});
  settings.relaxation = random.one_of<double>({1, 1.9});
  if (random.chance(50)) settings.reach = random.one_of<double>({0.5, 2, 5});
  return settings;
}

TEST(Flow, HasTheSameBitsWithAllSchedules) {
  Random random(33);
  for (int i = 0; i < cases; ++i) {
    const std::int64_t width = random.one_of<int>({1, 2, 3, 9, 31, 40}),
                       height = random.one_of<int>({1, 2, 5, 17, 30});
    const auto scene = scene_of<std::uint8_t>(
        width, height, random.one_of<Motion>({motions.at("translation"), motions.at("zoom")}));
    Settings settings = random_settings(random, scene.first.box);
    const Result expected = run(scene, settings, 1);
    for (int level = 0; level < 4; ++level)
      if (random.chance(50)) settings.levels_in_tiles.insert(level);
    const Pipeline pipeline =
        flow::make_pipeline(scene.first.box, ElementType::uint8, settings, {.has_truth = true});
    for (const int ranks : {1, 2, random.one_of<int>({3, 4, 7, 16})}) {
      Schedule schedule = test::random_schedule(random, pipeline);
      test::add_random_rounds(random, pipeline, schedule);
      EXPECT_EQ(run(scene, settings, ranks, schedule), expected)
          << "case " << i << ", " << width << " x " << height << " on " << ranks << ": "
          << test::to_string(schedule);
    }
  }
}

/// A schedule whose solver computes some turns on a tile, at all of these levels.
Schedule in_tiles(Random& random, int levels) {
  Schedule schedule;
  schedule.grid = test::random_grid_request(random, 2);
  for (int level = 0; level < levels; ++level) {
    schedule.stages["next_u_" + std::to_string(level)].tile = test::random_tile(random, 2);
    LoopSchedule& loop = schedule.loops["solve_" + std::to_string(level)];
    loop.turns_per_tile = random.small(2, 5);
    loop.turns_per_exchange = random.one_of<int>({1, loop.turns_per_tile, 6});
    loop.turns_per_test = random.one_of<int>({1, loop.turns_per_tile, 4});
  }
  return schedule;
}

TEST(Flow, KeptIteratesOfChebyshevsAccelerationHaveTheSameBits) {
  Random random(34);
  for (int i = 0; i < cases; ++i) {
    const auto scene =
        scene_of<std::uint8_t>(random.small(1, 45), random.small(1, 45), motions.at("translation"));
    Settings settings = random_settings(random, scene.first.box);
    settings.solver = Solver::chebyshev;
    settings.turns = random.small(3, 20);
    const Result expected = run(scene, settings, 1);
    for (int level = 0; level < *settings.levels; ++level) settings.levels_in_tiles.insert(level);
    EXPECT_EQ(run(scene, settings, 1), expected) << "case " << i;
    for (const int ranks : {1, 2, 3, 4}) {
      const Schedule schedule = in_tiles(random, *settings.levels);
      EXPECT_EQ(run(scene, settings, ranks, schedule), expected)
          << "case " << i << " on " << ranks << ": " << test::to_string(schedule);
    }
  }
}

}  // namespace
