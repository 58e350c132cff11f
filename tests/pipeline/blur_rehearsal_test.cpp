// SPDX-License-Identifier: BSD-3-Clause
// The central test, on virtual ranks: a schedule never changes a bit.
#include <gtest/gtest.h>

#include "pipeline/blur_sample.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;

template <class T, int N>
void expect_same_bits(const test::BlurSample<T, N>& sample, int ranks) {
  test::ArraySource<T> source(sample.image);
  test::ArraySink<T> sink(sample.image.box);
  Rehearsal rehearsal(sample.pipeline, make_plans(sample.pipeline, sample.schedule, sample.target, ranks));
  rehearsal.run({{{"input", &source}}, {{"bv", &sink}}});
  EXPECT_TRUE(sink.every_point_written_once()) << sample.text() << " on " << ranks;
  EXPECT_TRUE(sink.array.same_bits(sample.expected)) << sample.text() << " on " << ranks;
}

TEST(BlurRehearsal, RandomSchedulesGiveTheBitsOfThePlainBlur) {
  test::Random random(71);
  for (int i = 0; i < 80; ++i)
    test::for_each_image_type([&]<class T, int N>(T, std::integral_constant<int, N>) {
      expect_same_bits(test::random_blur<T, N>(random), test::random_rank_count(random));
    });
}

TEST(BlurRehearsal, EveryPlacementOnEveryGridFrom1To64Ranks) {
  test::Random random(72);
  auto sample = test::blur_of<std::uint16_t, 2>(random, Box{{0, 37}, {0, 23}});
  for (int placement = 0; placement < 4; ++placement)
    for (const auto& grid : {GridRequest{{1, 0}}, GridRequest{{0, 1}}, GridRequest{{0, 0}}})
      for (int ranks : {1, 2, 3, 4, 7, 16, 48, 64}) {
        sample.schedule.grid = grid;
        sample.schedule.stages["bh"].placement = static_cast<Placement>(placement);
        expect_same_bits(sample, ranks);
      }
}

TEST(BlurRehearsal, InputByColumnsOutputByRows) {
  test::Random random(73);
  auto sample = test::blur_of<float, 2>(random, Box{{0, 31}, {0, 26}});
  sample.schedule.stages["input"].grid = GridRequest{{0, 1}};
  sample.schedule.stages["bv"].grid = GridRequest{{1, 0}};
  for (const auto& middle : {GridRequest{{1, 0}}, GridRequest{{0, 1}}, GridRequest{{0, 0}}})
    for (int placement = 0; placement < 4; ++placement)
      for (int ranks : {1, 2, 5, 12}) {
        sample.schedule.stages["bh"].grid = middle;
        sample.schedule.stages["bh"].placement = static_cast<Placement>(placement);
        expect_same_bits(sample, ranks);
      }
}

TEST(BlurRehearsal, EveryTileSizeOfAFusedSchedule) {
  test::Random random(74);
  auto sample = test::blur_of<std::uint8_t, 2>(random, Box{{0, 29}, {0, 33}});
  sample.schedule.stages["bh"].placement = Placement::tile;
  for (const TileSize& tile : {TileSize{}, TileSize{1, 1}, TileSize{3, 5}, TileSize{29, 33},
                               TileSize{1000, 1}, TileSize{1, 1000}, TileSize{8}})
    for (int threads : {1, 2, 4})
      for (int ranks : {1, 3, 8}) {
        sample.schedule.stages["bv"].tile = tile;
        sample.target.threads = threads;
        expect_same_bits(sample, ranks);
      }
}

TEST(BlurRehearsal, MoreRanksThanRows) {
  test::Random random(75);
  for (int placement = 0; placement < 4; ++placement)
    for (const Box& box :
         {Box{{0, 1}, {0, 1}}, Box{{0, 50}, {0, 30}}, Box{{0, 2}, {0, 3}}, Box{{0, 40}, {0, 1}}}) {
      auto sample = test::blur_of<std::uint16_t, 2>(random, box);
      sample.schedule.stages["bh"].placement = static_cast<Placement>(placement);
      for (int ranks : {2, 32, 64}) expect_same_bits(sample, ranks);
    }
}

TEST(BlurRehearsal, WideRowsUseAlignedMemory) {
  test::Random random(76);
  for (int placement = 0; placement < 4; ++placement) {
    auto sample = test::blur_of<float, 2>(random, Box{{0, 2100}, {0, 40}});
    sample.schedule.stages["bh"].placement = static_cast<Placement>(placement);
    sample.schedule.grid = {{0, 0}};
    expect_same_bits(sample, 6);
  }
}

TEST(BlurRehearsal, ResultLargerThanTheImageIsItsBlurWithReplicatedBorder) {
  test::Random random(77);
  const Box image{{0, 9}, {0, 7}}, result{{-4, 12}, {-1, 30}};
  auto sample = test::blur_of<std::uint16_t, 2>(random, image);
  sample.pipeline = blur::make_pipeline<std::uint16_t, 2>(image, result, Boundary::clamp);
  test::WholeArray<std::uint16_t> spread(result);
  test::for_each_point(result, [&](const test::Point& p) { spread.at(p) = sample.image.clamped(p); });
  sample.expected = test::plain_blur(spread);
  for (int placement = 0; placement < 4; ++placement)
    for (int ranks : {1, 4, 9}) {
      sample.schedule.stages["bh"].placement = static_cast<Placement>(placement);
      test::ArraySource<std::uint16_t> source(sample.image);
      test::ArraySink<std::uint16_t> sink(result);
      Rehearsal(sample.pipeline, make_plans(sample.pipeline, sample.schedule, {}, ranks))
          .run({{{"input", &source}}, {{"bv", &sink}}});
      EXPECT_TRUE(sink.array.same_bits(sample.expected)) << sample.text() << " on " << ranks;
    }
}

TEST(BlurRehearsal, MeansOfSixteenBitsAreExact) {
  test::Random random(78);
  const auto check = [](std::uint16_t a, std::uint16_t b, std::uint16_t c) {
    EXPECT_EQ(blur::ExactMean{}(a, b, c), test::plain_mean(a, b, c)) << a << ", " << b << ", " << c;
  };
  const std::vector<std::uint16_t> edges = {0,     1,     2,     3,     4,     5,     21845,
                                            32767, 32768, 65531, 65532, 65533, 65534, 65535};
  for (auto a : edges)
    for (auto b : edges)
      for (auto c : edges) check(a, b, c);
  for (int i = 0; i < 100000; ++i)
    check(static_cast<std::uint16_t>(random.bits()), static_cast<std::uint16_t>(random.bits()),
          static_cast<std::uint16_t>(random.bits()));
}

}  // namespace
