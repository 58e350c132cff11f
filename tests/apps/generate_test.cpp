// SPDX-License-Identifier: BSD-3-Clause
// Drawn images have the bits of their functions, whatever the schedule and the number of ranks.
#include <gtest/gtest.h>

#include "apps/generate/stages.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;

template <class T, class Picture>
void expect_same_bits(const Box& image, const Picture& picture) {
  const Pipeline pipeline = generate::make_pipeline<T>(image, picture);
  const generate::Drawn<Picture, T> drawn{picture};
  test::WholeArray<T> expected(image);
  test::for_each_point(image, [&](const Point& p) {
    expected.at(p) = drawn(static_cast<int>(p[0]), static_cast<int>(p[1]), static_cast<int>(p[2]));
  });
  test::Random random(11);
  for (int i = 0; i < 8; ++i) {
    const Schedule schedule = test::random_schedule(random, pipeline);
    test::ArraySink<T> sink(image);
    Bindings bindings{{}, {{"image", &sink}}};
    Rehearsal(pipeline, make_plans(pipeline, schedule, {}, test::random_rank_count(random))).run(bindings);
    EXPECT_TRUE(sink.every_point_written_once());
    EXPECT_TRUE(sink.array.values == expected.values) << test::to_string(schedule);
  }
}

TEST(Generate, TheSameBitsWithEverySchedule) {
  const Box grey{{0, 61}, {0, 47}}, planes{{0, 37}, {0, 29}, {0, 3}};
  expect_same_bits<float>(planes, generate::StarField{.spacing = 9});
  expect_same_bits<std::uint16_t>(grey, generate::StarField{.seed = 3, .spacing = 8});
  expect_same_bits<float>(grey, generate::ZonePlate{61, 47, 61});
  expect_same_bits<float>(planes, generate::PowerLawNoise{.octaves = 4, .amplitudes = {0.1, 0.2, 0.3, 0.4}});
  expect_same_bits<std::uint8_t>(planes, generate::Checkerboard{5});
}

// The middle is a crest, and the first trough lies where r^2 is the period.
TEST(Generate, AZonePlatesPhaseIsExactWhereverItIs) {
  const generate::ZonePlate small{101, 101, 25};
  EXPECT_EQ(small(50, 50, 0), 1);
  EXPECT_NEAR(small(55, 50, 0), 0, 1e-15);
  constexpr std::int64_t side = (std::int64_t(1) << 30) - 1;
  const generate::ZonePlate large{side, side, side};
  const auto middle = static_cast<int>(side / 2);
  // In the corner r^2 is 2 middle^2.
  const std::int64_t rest = (2 * std::int64_t(middle) * middle) % (2 * side);
  EXPECT_NEAR(large(0, 0, 0), (1 + std::cos(std::numbers::pi * double(rest) / double(side))) / 2, 1e-12);
}

}  // namespace
