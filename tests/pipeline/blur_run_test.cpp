// SPDX-License-Identifier: BSD-3-Clause
// The central test, on real ranks and threads: a schedule never changes a bit.
#include <gtest/gtest.h>

#include "pipeline/blur_sample.hpp"
#include "pipeline/world.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace {

using namespace tessera;
using test::Point;
using test::world_rank;
using test::world_size;

int host_threads() { return HostExecutionSpace().concurrency(); }

template <class T, int N>
Plan plan_of(const test::BlurSample<T, N>& sample) {
  return make_plan(sample.pipeline, sample.schedule, sample.target, world_size(), world_rank());
}

/// This rank's block, all of it written once and equal to the plain blur.
template <class T>
void expect_block(const test::ArraySink<T>& sink, const test::WholeArray<T>& expected, const Box& owned,
                  const std::string& text) {
  std::int64_t wrong = 0;
  test::for_each_point(expected.box, [&](const Point& p) {
    const bool mine = contains(owned, p);
    wrong += sink.writes.at(p) != (mine ? 1 : 0);
    wrong += mine && std::memcmp(&sink.array.at(p), &expected.at(p), sizeof(T)) != 0;
  });
  EXPECT_EQ(wrong, 0) << text << ", rank " << world_rank() << " of " << world_size();
}

template <class T, int N>
void expect_same_bits(const test::BlurSample<T, N>& sample) {
  PlanInstance instance(sample.pipeline, plan_of(sample), MPI_COMM_WORLD);
  test::ArraySource<T> source(sample.image);
  test::ArraySink<T> sink(sample.image.box);
  instance.run({{{"input", &source}}, {{"bv", &sink}}});
  expect_block(sink, sample.expected, instance.plan().stages[ArrayId{2}].owned, sample.text());
}

TEST(BlurRun, RandomSchedulesGiveTheBitsOfThePlainBlur) {
  test::Random random(81);
  for (int i = 0; i < 25; ++i)
    test::for_each_image_type([&]<class T, int N>(T, std::integral_constant<int, N>) {
      auto sample = test::random_blur<T, N>(random);
      sample.target.threads = host_threads();
      expect_same_bits(sample);
    });
}

TEST(BlurRun, EveryPlacementOnEveryGrid) {
  test::Random random(82);
  auto sample = test::blur_of<std::uint16_t, 2>(random, Box{{0, 301}, {0, 203}});
  sample.target.threads = host_threads();
  for (int placement = 0; placement < 4; ++placement)
    for (const auto& grid : {GridRequest{{1, 0}}, GridRequest{{0, 1}}, GridRequest{{0, 0}}}) {
      sample.schedule.grid = grid;
      sample.schedule.stages["bh"].placement = static_cast<Placement>(placement);
      expect_same_bits(sample);
      sample.schedule.stages["input"].grid = GridRequest{{0, 1}};
      expect_same_bits(sample);
      sample.schedule.stages.erase("input");
    }
}

TEST(BlurRun, SeveralTimesWithOtherPixels) {
  test::Random random(83);
  auto sample = test::blur_of<float, 2>(random, Box{{0, 65}, {0, 43}});
  sample.schedule.stages["bh"].placement = Placement::distributed;
  PlanInstance instance(sample.pipeline, plan_of(sample), MPI_COMM_WORLD);
  for (int round = 0; round < 4; ++round) {
    sample.image = test::random_image<float>(random, sample.image.box);
    sample.expected = test::plain_blur(sample.image);
    test::ArraySource<float> source(sample.image);
    test::ArraySink<float> sink(sample.image.box);
    instance.run({{{"input", &source}}, {{"bv", &sink}}});
    expect_block(sink, sample.expected, instance.plan().stages[ArrayId{2}].owned, sample.text());
  }
}

TEST(BlurRun, ComputeWorksOnWhatTheViewsHold) {
  test::Random random(84);
  auto sample = test::blur_of<std::uint16_t, 2>(random, Box{{0, 40}, {0, 50}});
  sample.schedule.stages["bh"].placement = Placement::rank;
  PlanInstance instance(sample.pipeline, plan_of(sample), MPI_COMM_WORLD);
  const auto view = instance.view<std::uint16_t, 2>("input");
  const auto input = view.host();
  test::for_each_point(view.owned(), [&](const Point& p) {
    input.accessor()(static_cast<int>(p[0]), static_cast<int>(p[1])) = sample.image.at(p);
  });
  input.copy_to_device();
  instance.compute();
  const auto result = instance.view<std::uint16_t, 2>("bv");
  const auto output = result.host();
  std::int64_t wrong = 0;
  test::for_each_point(result.owned(), [&](const Point& p) {
    wrong += output.accessor()(static_cast<int>(p[0]), static_cast<int>(p[1])) != sample.expected.at(p);
  });
  EXPECT_EQ(wrong, 0);
}

TEST(BlurRun, TwoInstancesLiveSideBySide) {
  test::Random random(85);
  auto first = test::blur_of<std::uint8_t, 2>(random, Box{{0, 40}, {0, 50}});
  auto second = test::blur_of<float, 2>(random, Box{{0, 31}, {0, 17}});
  second.schedule.stages["bh"].placement = Placement::tile;
  PlanInstance a(first.pipeline, plan_of(first), MPI_COMM_WORLD);
  PlanInstance b(second.pipeline, plan_of(second), MPI_COMM_WORLD);
  test::ArraySource<std::uint8_t> source_a(first.image);
  test::ArraySource<float> source_b(second.image);
  test::ArraySink<std::uint8_t> sink_a(first.image.box);
  test::ArraySink<float> sink_b(second.image.box);
  b.run({{{"input", &source_b}}, {}});
  a.run({{{"input", &source_a}}, {{"bv", &sink_a}}});
  b.store("bv", sink_b);
  expect_block(sink_a, first.expected, a.plan().stages[ArrayId{2}].owned, first.text());
  expect_block(sink_b, second.expected, b.plan().stages[ArrayId{2}].owned, second.text());
}

TEST(BlurRun, ObserverSeesEveryStepOnce) {
  test::Random random(86);
  const auto sample = test::blur_of<std::uint8_t, 2>(random, Box{{0, 20}, {0, 20}});
  PlanInstance instance(sample.pipeline, plan_of(sample), MPI_COMM_WORLD);
  test::ArraySource<std::uint8_t> source(sample.image);
  std::vector<int> ids;
  instance.run({{{"input", &source}}, {}}, [&](const PlanNode& node) { ids.push_back(node.id); });
  EXPECT_EQ(static_cast<int>(ids.size()), instance.step_count());
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end(), std::less_equal<>()));
}

}  // namespace
