// SPDX-License-Identifier: BSD-3-Clause
// Rows that are computed together hold what they hold one after the other.
#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;

/// A body with products that rows share. It reads two inputs, one of them in three rows.
template <class R>
struct Stencil {
  template <class In, class Other, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, const Other& other, Coord x, Coord y, Rest... rest) const {
    const auto row = [&](int j) {
      return cast<float>(in(x - 1, y + j, rest...)) * 0.7f + cast<float>(in(x + 1, y + j, rest...)) * 0.3f;
    };
    const auto sum = row(-1) * 0.25f + row(0) * 0.5f + row(1) * 0.25f;
    return cast<R>(clamp(sum + cast<float>(other(x, y, rest...)) * 0.1f, 0.0f, 250.0f));
  }
};
template <class R, int Rows>
struct Together : Stencil<R> {
  static constexpr int rows_together = Rows;
};

/// Plans that write past the caches, or not.
Target target_of(bool non_temporal) {
  Target target;
  target.threads = 2;
  target.cache_bytes = non_temporal ? 1 : 0;
  return target;
}

template <class T, class R, int Rows, int N>
void expect_same(test::Random& random, const Box& box, const Schedule& schedule, int ranks,
                 bool non_temporal) {
  Pipeline pipeline;
  test::WholeArray<T> image(box);
  for (T& value : image.values) value = static_cast<T>(random.small(0, 250));
  const auto input = pipeline.input<T, N>("input", box, Boundary::clamp);
  // Where the schedule fuses it, its consumers are written past the caches although they read several rows.
  const auto other = pipeline.stage<float>("other", Stencil<float>{}, input, input);
  pipeline.output(pipeline.stage<R>("one_by_one", Stencil<R>{}, input, other), box);
  pipeline.output(pipeline.stage<R>("together", Together<R, Rows>{}, input, other), box);
  test::ArraySource<T> source(image);
  test::ArraySink<R> one_by_one(box), together(box);
  Rehearsal(pipeline, make_plans(pipeline, schedule, target_of(non_temporal), ranks))
      .run({{{"input", &source}}, {{"one_by_one", &one_by_one}, {"together", &together}}});
  EXPECT_TRUE(together.every_point_written_once());
  EXPECT_TRUE(together.array.same_bits(one_by_one.array)) << to_string(box) << " on " << ranks << " ranks";
}

template <class T, class R, int Rows, int MostDimensions = 2>
void expect_same_everywhere(std::uint64_t seed) {
  test::Random random(seed);
  for (int round = 0; round < 8; ++round) {
    Schedule schedule;
    if (round % 2 == 1) schedule.stages["other"].placement = Placement::tile;
    if (round % 3 == 1)
      schedule.stages["together"].tile = {static_cast<int>(random.small(1, 90)),
                                          static_cast<int>(random.small(1, 9))};
    const auto width = random.small(1, 150), height = random.small(1, 30);
    const Box image{{-3, width - 3}, {-5, height - 5}};
    [[maybe_unused]] const Box planes{{-3, width - 3}, {-5, height - 5}, {1, 4}};
    expect_same<T, R, Rows, 2>(random, image, schedule, 1 + round % 3, round % 4 < 2);
    if constexpr (MostDimensions == 3)
      expect_same<T, R, Rows, 3>(random, planes, schedule, 1 + round % 3, round % 4 < 2);
  }
}

TEST(RowsTogether, HoldWhatTheyHoldOneAfterTheOther) {
  expect_same_everywhere<std::uint8_t, std::uint8_t, 4, 3>(1);
  expect_same_everywhere<std::uint8_t, float, 4>(2);
  expect_same_everywhere<float, std::uint8_t, 4>(3);
  expect_same_everywhere<float, float, 4, 3>(4);
  expect_same_everywhere<std::uint16_t, std::uint16_t, 3>(5);
  expect_same_everywhere<float, double, 16>(6);
}

struct Line {
  static constexpr int rows_together = 4;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x) + in(x + 1);
  }
};
struct Turned {
  static constexpr int rows_together = 4;
  static constexpr bool transposes = true;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(y, x);
  }
};

TEST(RowsTogether, MeanNothingToLinesAndTransposes) {
  test::WholeArray<float> line(Box{{0, 99}}), image(Box{{0, 99}, {0, 50}});
  for (std::size_t i = 0; i < line.values.size(); ++i) line.values[i] = static_cast<float>(i);
  for (std::size_t i = 0; i < image.values.size(); ++i) image.values[i] = static_cast<float>(i);
  Pipeline pipeline;
  const auto points = pipeline.input<float, 1>("line", line.box, Boundary::clamp);
  const auto pixels = pipeline.input<float, 2>("image", image.box);
  const Box turned_box{{0, 50}, {0, 99}};
  pipeline.output(pipeline.stage<float>("sums", Line{}, points), line.box);
  pipeline.output(pipeline.stage<float>("turned", Turned{}, pixels), turned_box);
  test::ArraySource<float> lines(line), images(image);
  test::ArraySink<float> sums(line.box), turned(turned_box);
  Rehearsal(pipeline, make_plans(pipeline, {}, target_of(false), 2))
      .run({{{"line", &lines}, {"image", &images}}, {{"sums", &sums}, {"turned", &turned}}});
  for (int x = 0; x < 99; ++x) {
    ASSERT_EQ(sums.array.values[static_cast<std::size_t>(x)], static_cast<float>(x + std::min(x + 1, 98)));
    for (int y = 0; y < 50; ++y)
      ASSERT_EQ(turned.array.values[static_cast<std::size_t>(x * 50 + y)], static_cast<float>(y * 99 + x));
  }
}

}  // namespace
