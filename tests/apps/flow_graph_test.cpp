// SPDX-License-Identifier: BSD-3-Clause
// The graph of loops that computes the flow of several pairs at the same time, compared with the pipeline.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "apps/flow/flow_graph.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using flow::Pair, flow::PairLease, flow::PairPlans, flow::Penalty, flow::Settings, flow::Solver;
using test::Random;
using test::WholeArray;

constexpr int pairs = 5;

/// The results for a pair.
struct Result {
  std::vector<float> flow;
  std::vector<std::int64_t> turns;
  friend bool operator==(const Result&, const Result&) = default;
};

/// A frame of a texture that moves more from frame to frame, so that pairs need different numbers of turns.
WholeArray<std::uint8_t> frame_of(const Box& box, int number) {
  WholeArray<std::uint8_t> frame(box);
  const double shift = 0.3 * number * number;
  test::for_each_point(box, [&](const Point& p) {
    const double x = static_cast<double>(p[0]) - shift, y = static_cast<double>(p[1]) + shift / 2;
    frame.at(p) = static_cast<std::uint8_t>(120 + 60 * std::sin(0.31 * x + 0.1 * y) +
                                            50 * std::cos(0.27 * y - 0.1 * x));
  });
  return frame;
}

/// The flow of a pair and the numbers of turns of its loops by the whole pipeline.
Result by_pipeline(const std::vector<WholeArray<std::uint8_t>>& frames, int pair, const Settings& settings) {
  const auto place = static_cast<std::size_t>(pair);
  const Box& box = frames[place].box;
  const Pipeline pipeline = flow::make_pipeline(box, ElementType::uint8, settings);
  test::ArraySource<std::uint8_t> first(frames[place]), second(frames[place + 1]);
  test::ArraySink<float> sink(Box{box[0], box[1], {0, 2}});
  Bindings bindings{{{"input", &first}, {"frame_1", &second}}, {{"flow", &sink}}};
  Result result;
  bindings.after_loop = [&](const LoopProgress& progress) {
    if (pipeline.loops()[static_cast<std::size_t>(progress.loop)].name.starts_with("solve"))
      result.turns.push_back(progress.turns);
  };
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, 1)).run(bindings);
  result.flow = sink.array.values;
  return result;
}

template <class T>
void copy_to(const graph::Image& image, const WholeArray<T>& array) {
  const HostBlock points = image.points();
  test::for_each_point(array.box, [&](const Point& p) {
    reinterpret_cast<T*>(points.data)[p[0] + p[1] * points.strides[1]] = array.at(p);
  });
}

Result result_of(const Pair& pair, const Box& box) {
  Result result;
  const HostBlock points = pair.result.points();
  WholeArray<float> flow(Box{box[0], box[1], {0, 2}});
  test::for_each_point(flow.box, [&](const Point& p) {
    flow.at(p) = reinterpret_cast<const float*>(
        points.data)[p[0] + p[1] * points.strides[1] + p[2] * points.strides[2]];
  });
  result.flow = flow.values;
  for (const auto& level : pair.turns) result.turns.insert(result.turns.end(), level.begin(), level.end());
  return result;
}

/// Declares a graph that computes the flow of each two frames that follow each other, and passes it to `keep`
/// in the order of the frames.
template <class T>
void declare(graph::Graph& graph, const std::vector<WholeArray<T>>& frames, const Settings& settings,
             const std::shared_ptr<const PairPlans>& plans, int window,
             const std::function<void(const Pair&)>& keep) {
  const graph::Pool<Pair> memory(graph, "pairs", {.count = window}, [] { return std::make_shared<Pair>(); });
  const auto begun = graph.source(
      "read", {},
      [&frames, plans](std::int64_t number, PairLease pair) -> std::optional<PairLease> {
        if (number + 1 == std::ssize(frames)) return std::nullopt;
        pair->begin(number, plans);
        copy_to(pair->first, frames[static_cast<std::size_t>(number)]);
        copy_to(pair->second, frames[static_cast<std::size_t>(number) + 1]);
        return pair;
      },
      memory);
  graph.sink(
      "keep", {.order = graph::Order::stamp}, [keep](const PairLease& pair) { keep(*pair); },
      flow::add_flow(graph, settings, std::ssize(plans->levels()), begun));
  graph.configure({.window = window});
}

/// Runs the graph of the flow of one pair of frames, both of them without a number, and returns its error.
std::string error_of_no_numbers(const Settings& settings) {
  const Box box{{0, 20}, {0, 17}};
  std::vector<WholeArray<float>> frames(2, WholeArray<float>(box));
  for (WholeArray<float>& frame : frames) std::ranges::fill(frame.values, std::nanf(""));
  const auto plans =
      std::make_shared<const PairPlans>(box, ElementType::float32, settings, flow::Extras{}, 0);
  graph::Graph graph("flow");
  declare(graph, frames, settings, plans, 1, [](const Pair&) {});
  try {
    graph.run({.workers = 1}).wait();
  } catch (const DivergedError& error) {
    return error.what();
  }
  return "";
}

TEST(FlowGraph, EndsWhereAChangeIsNoNumber) {
  const std::string error = error_of_no_numbers({.levels = 2});
  EXPECT_NE(error.find("the loop 'solve_1' diverges: after turn 1 its residual 'change_of_turn_1' is"),
            std::string::npos)
      << error;
}

Settings random_settings(Random& random, Solver solver) {
  Settings settings;
  settings.solver = solver;
  settings.penalty = random.one_of<Penalty>({Penalty::quadratic, Penalty::charbonnier});
  settings.zoom = random.one_of<double>({0.5, 0.7});
  settings.levels = random.small(1, 4);
  settings.warps = random.small(1, 4);
  settings.turns = random.small(2, 12);
  settings.tolerance = random.one_of<double>({0, 0.02, 0.05});
  settings.warp_tolerance = random.one_of<double>({0, 0.1});
  return settings;
}

TEST(FlowGraph, HasTheBitsAndTheTurnsOfThePipeline) {
  Random random(7);
  for (int i = 0; i < 9; ++i) {
    const Settings settings = random_settings(
        random,
        std::array{Solver::jacobi, Solver::red_black, Solver::chebyshev}[static_cast<std::size_t>(i % 3)]);
    const Box box{{0, random.small(20, 45)}, {0, random.small(17, 40)}};
    std::vector<WholeArray<std::uint8_t>> frames;
    for (int number = 0; number <= pairs; ++number) frames.push_back(frame_of(box, number));
    std::vector<Result> expected;
    for (int pair = 0; pair < pairs; ++pair) expected.push_back(by_pipeline(frames, pair, settings));
    // With a small cache, results are written past it.
    const auto plans = std::make_shared<const PairPlans>(box, ElementType::uint8, settings, flow::Extras{},
                                                         random.one_of<std::int64_t>({0, 1, 500}));
    for (const int window : {1, 2, 4}) {
      std::vector<Result> results;
      graph::Graph graph("flow");
      declare(graph, frames, settings, plans, window,
              [&](const Pair& pair) { results.push_back(result_of(pair, box)); });
      for (const int workers : {1, 2}) {
        graph.run({.workers = workers}).wait();
        EXPECT_TRUE(std::exchange(results, {}) == expected)
            << "case " << i << ", window " << window << ", " << workers << " workers";
      }
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        graph.rehearse(seed);
        EXPECT_TRUE(std::exchange(results, {}) == expected)
            << "case " << i << ", window " << window << ", seed " << seed;
      }
    }
  }
}

/// The bytes and the number of the allocations of Kokkos since `count_allocation` was set, by their labels.
struct Allocations {
  std::int64_t bytes = 0, count = 0;
};
std::map<std::string, Allocations> allocations;

void count_allocation(Kokkos::Profiling::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
  Allocations& of_label = allocations[label];
  of_label.bytes += static_cast<std::int64_t>(bytes);
  ++of_label.count;
}

/// Returns all plans of a pair.
std::vector<flow::Planned> all_of(const PairPlans& plans) {
  std::vector<flow::Planned> all{plans.pyramids(), plans.results()};
  for (const flow::LevelPlans& level : plans.levels())
    all.insert(all.end(), {level.begin, level.linearise, level.turn, level.compare});
  return all;
}

TEST(FlowGraph, AllocatesTheImagesOfAPairOnce) {
  const Box box{{0, 60}, {0, 50}};
  std::vector<WholeArray<std::uint8_t>> frames;
  for (int number = 0; number <= pairs; ++number) frames.push_back(frame_of(box, number));
  const Settings settings{.levels = 3, .warps = 3, .warp_tolerance = 0.05, .turns = 10, .tolerance = 0.02};
  const auto plans = std::make_shared<const PairPlans>(box, ElementType::uint8, settings, flow::Extras{}, 0);
  std::vector<std::int64_t> counts;
  graph::Graph graph("flow");
  declare(graph, frames, settings, plans, 1,
          [&](const Pair&) { counts.push_back(allocations["tessera: arrays"].count); });
  Kokkos::Tools::Experimental::set_allocate_data_callback(&count_allocation);
  graph.run({.workers = 1}).wait();
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  EXPECT_EQ(allocations["images"].count, 1);
  EXPECT_EQ(allocations["images"].bytes, Pair::bytes_for(plans));
  // The bodies of tasks are made for the first pair, with memory for the arrays that are no images.
  EXPECT_EQ(counts.front(), counts.back());
  std::int64_t bytes_of_plans = 0;
  for (const flow::Planned& planned : all_of(*plans)) {
    bytes_of_plans += planned->plan.peak_bytes();
    for (const ArrayDeclaration& array : planned->algorithm.arrays())
      EXPECT_FALSE(allocations.contains(array.name)) << array.name;
  }
  if (runs_on_host) {
    EXPECT_LT(allocations["tessera: arrays"].bytes, bytes_of_plans / 4);
  }
}

}  // namespace
