// SPDX-License-Identifier: BSD-3-Clause
// Loops that a global reduction ends, and streams of frames: run and rehearsed.
#include <gtest/gtest.h>

#include "pipeline/instance_sample.hpp"
#include "pipeline/random_schedule.hpp"
#include "pipeline/world.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::Point;

struct RowMaximum {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return max(max(in(x - 1, y), in(x, y)), in(x + 1, y));
  }
};
struct Grow {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto greatest = max(max(in(x, y - 1), in(x, y)), in(x, y + 1));
    return greatest + select(greatest > 0, 1, 0);
  }
};

/// A seed of 1 that grows by a point in all directions, and by 1, in every turn: after n turns it is n + 1
/// wherever it has come. Ends when it has come everywhere.
struct Growth {
  Box box;
  Point seed;
  Pipeline pipeline;
  Schedule schedule;
  Target target;

  Growth(const Box& image, const Point& start, std::int64_t maximum) : box(image), seed(start) {
    const auto now = pipeline.input<std::int32_t, 2>("now", box, Boundary::clamp);
    pipeline.repeat("grow", maximum, [&](const Pipeline::Loop& loop) {
      const auto rows = pipeline.stage<std::int32_t>("rows", RowMaximum(), now);
      const auto next = pipeline.stage<std::int32_t>("next", Grow(), rows);
      pipeline.fusable(rows, next);
      loop.until(pipeline.reduce("least", Minimum<std::int32_t>(), next, box));
      loop.feed(next, now);
    });
    pipeline.output(now);
    schedule.stages["rows"].placement = Placement::tile;
    schedule.stages["next"].tile = {8, 3};
  }

  test::WholeArray<std::int32_t> image() const {
    test::WholeArray<std::int32_t> seeded(box);
    seeded.at(seed) = 1;
    return seeded;
  }
  std::int64_t distance(const Point& p) const {
    return std::max(std::abs(p[0] - seed[0]), std::abs(p[1] - seed[1]));
  }
  std::int64_t turns() const {
    std::int64_t farthest = 1;
    test::for_each_point(box, [&](const Point& p) { farthest = std::max(farthest, distance(p)); });
    return std::min(pipeline.loops().front().maximum, farthest);
  }
};

std::int64_t wrong_points(const Growth& growth, const test::ArraySink<std::int32_t>& sink, std::int64_t turns,
                          const Box& owned) {
  std::int64_t wrong = 0;
  test::for_each_point(growth.box, [&](const Point& p) {
    const std::int64_t expected = growth.distance(p) <= turns ? turns + 1 : 0;
    const bool mine = contains(owned, p);
    wrong += sink.writes.at(p) != (mine ? 1 : 0) || (mine && sink.array.at(p) != expected);
  });
  return wrong;
}

Growth random_growth(test::Random& random) {
  const Box box = random.box(2, -3, 3, 30);
  Growth growth(box, {}, random.between(1, 40));
  for (int d = 0; d < 2; ++d) growth.seed[d] = random.between(box[d].begin, box[d].end - 1);
  growth.schedule.overlap = random.chance(50) ? Overlap::on : Overlap::off;
  growth.schedule.grid = random.one_of<GridRequest>({{{1, 0}}, {{0, 1}}, {{0, 0}}});
  growth.schedule.stages["rows"].placement = static_cast<Placement>(random.small(0, 3));
  growth.target.threads = random.small(1, 2);
  growth.target.device = !runs_on_host || random.chance(40);
  return growth;
}

TEST(Loops, ARehearsalRepeatsUntilTheConditionHolds) {
  test::Random random(231);
  for (int i = 0; i < 60; ++i) {
    const Growth growth = random_growth(random);
    const int ranks = random.small(1, 12);
    const auto image = growth.image();
    test::ArraySource<std::int32_t> source(image);
    test::ArraySink<std::int32_t> sink(growth.box);
    Rehearsal(growth.pipeline, make_plans(growth.pipeline, growth.schedule, growth.target, ranks))
        .run({{{"now", &source}}, {{"now", &sink}}});
    EXPECT_EQ(wrong_points(growth, sink, growth.turns(), growth.box), 0)
        << test::to_string(growth.schedule) << " on " << ranks;
  }
}

TEST(Loops, RanksRepeatUntilTheConditionHolds) {
  test::Random random(232);
  for (int i = 0; i < 40; ++i) {
    const Growth growth = random_growth(random);
    const Plan plan =
        make_plan(growth.pipeline, growth.schedule, growth.target, test::world_size(), test::world_rank());
    const auto image = growth.image();
    test::ArraySource<std::int32_t> source(image);
    test::ArraySink<std::int32_t> sink(growth.box);
    PlanInstance instance(growth.pipeline, plan, MPI_COMM_WORLD, {true, random.chance(30)},
                          growth.target.device ? HostMode::kernels : HostMode::calling_thread);
    instance.run({{{"now", &source}}, {{"now", &sink}}});
    EXPECT_EQ(wrong_points(growth, sink, growth.turns(), plan.stages[ArrayId{0}].owned), 0)
        << test::to_string(growth.schedule) << (growth.target.device ? " as on a device" : "");
  }
}

struct NegativeZero {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x) * -0.0f;
  }
};

TEST(Loops, AConditionOfNegativeZeroDoesNotHold) {
  Pipeline pipeline;
  test::WholeArray<float> ones(Box{{0, 5}});
  ones.values.assign(5, 1);
  const auto in = pipeline.input<float, 1>("in", ones.box);
  pipeline.repeat("zeroing", 7, [&](const Pipeline::Loop& loop) {
    const auto zeros = pipeline.stage<float>("zeros", NegativeZero(), in);
    loop.until(pipeline.reduce("least", Minimum<float>(), zeros, ones.box));
    loop.feed(zeros, in);
  });
  pipeline.output(in);
  PlanInstance instance(pipeline, make_plan(pipeline, {}, {}, 1, 0), MPI_COMM_SELF);
  test::ArraySource<float> source(ones);
  int turns = 0;
  instance.run({{{"in", &source}}, {}},
               [&](const PlanNode& node) { turns += std::holds_alternative<plan::Reduce>(node.step); });
  EXPECT_EQ(turns, 7);
}

/// Frames of a stream, and what came out of each.
struct Stream {
  explicit Stream(const test::InstanceSample& sample) : image(sample.box), sink(sample.box) {}

  bool next() {
    if (frame > 0) results.push_back(sink.array);
    if (frame == 4) return false;
    test::Random random(240 + static_cast<std::uint64_t>(frame++));
    for (float& value : image.values) value = static_cast<float>(random.real(-4, 4));
    return true;
  }
  /// Runs an instance or a rehearsal for all frames.
  void run(auto&& runner) {
    while (next()) runner.run({{{"in", &source}}, {{"out", &sink}}});
  }

  int frame = 0;
  test::WholeArray<float> image;
  test::ArraySource<float> source{image};
  test::ArraySink<float> sink;
  std::vector<test::WholeArray<float>> results;
};

TEST(Loops, EveryFrameOfAStreamIsComputed) {
  const test::InstanceSample sample(Box{{0, 33}, {-2, 20}});
  Stream rehearsed(sample), run(sample), expected(sample);
  while (expected.next())
    Rehearsal(sample.pipeline, make_plans(sample.pipeline, {}, {}, 1))
        .run({{{"in", &expected.source}}, {{"out", &expected.sink}}});
  rehearsed.run(Rehearsal(sample.pipeline, make_plans(sample.pipeline, sample.schedule, {2}, 6)));
  const Plan plan = make_plan(sample.pipeline, sample.schedule, {2}, test::world_size(), test::world_rank());
  run.run(PlanInstance(sample.pipeline, plan, MPI_COMM_WORLD));
  ASSERT_EQ(rehearsed.results.size(), 4u);
  ASSERT_EQ(run.results.size(), 4u);
  const Box owned = plan.stages[sample.pipeline.find("out")].owned;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(rehearsed.results[i].same_bits(expected.results[i])) << i;
    std::int64_t wrong = 0;
    test::for_each_point(owned,
                         [&](const Point& p) { wrong += run.results[i].at(p) != expected.results[i].at(p); });
    EXPECT_EQ(wrong, 0) << i;
  }
}

}  // namespace
