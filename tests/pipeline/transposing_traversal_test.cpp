// SPDX-License-Identifier: BSD-3-Clause
// Stages whose rows are columns of what they read, in images large enough for whole blocks.
#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "pipeline/limited_instructions.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/kernel/transposing_traversal.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::Point;

struct Transpose {
  static constexpr bool transposes = true;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(y, x);
  }
};
/// Reads columns, two of them, at every third row.
struct TransposeAndMix {
  static constexpr bool transposes = true;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(y - 1, 3 * x) + 2 * in(y + 2, 3 * x + 1);
  }
};

template <class T>
class TransposingTraversal : public testing::Test {};
using Types = testing::Types<std::uint8_t, std::uint16_t, float, double>;
TYPED_TEST_SUITE(TransposingTraversal, Types);

template <class T>
test::WholeArray<T> noise(test::Random& random, const Box& box) {
  test::WholeArray<T> image(box);
  for (T& value : image.values) value = static_cast<T>(random.small(0, 80));
  return image;
}

template <class T, class Body>
test::WholeArray<T> result_of(const Body& body, const test::WholeArray<T>& image, const Box& box,
                              const Schedule& schedule, int ranks) {
  Pipeline pipeline;
  const auto input = pipeline.input<T, 2>("input", image.box, Boundary::clamp);
  pipeline.output(pipeline.stage<T>("turned", body, input), box);
  test::ArraySource<T> source(image);
  test::ArraySink<T> sink(box);
  Rehearsal(pipeline, make_plans(pipeline, schedule, {2, false}, ranks))
      .run({{{"input", &source}}, {{"turned", &sink}}});
  EXPECT_TRUE(sink.every_point_written_once());
  return sink.array;
}

TYPED_TEST(TransposingTraversal, EqualsBruteForceForAnyBoxAndRanks) {
  test::Random random(11);
  const Box box{{-5, 190}, {7, 171}};
  for (int round = 0; round < 4; ++round) {
    const auto image = noise<TypeParam>(random, Box{{random.small(-9, 9), 175}, {random.small(-9, 9), 163}});
    const auto at = [&](std::int64_t x, std::int64_t y) {
      Point p{};
      p[0] = std::clamp(x, image.box[0].begin, image.box[0].end - 1);
      p[1] = std::clamp(y, image.box[1].begin, image.box[1].end - 1);
      return image.at(p);
    };
    for (int ranks : {1, 3}) {
      Schedule schedule;
      if (round == 1) schedule.stages["turned"].tile = {37, 41};
      if (round == 2) schedule.grid = {{0, 1}};
      const auto turned = result_of<TypeParam>(Transpose(), image, box, schedule, ranks);
      const auto mixed = result_of<TypeParam>(TransposeAndMix(), image, box, schedule, ranks);
      test::for_each_point(box, [&](const Point& p) {
        ASSERT_EQ(turned.at(p), at(p[1], p[0]));
        ASSERT_EQ(mixed.at(p),
                  static_cast<TypeParam>(at(p[1] - 1, 3 * p[0]) + 2 * at(p[1] + 2, 3 * p[0] + 1)));
      });
    }
  }
}

/// Whole blocks and parts, at the start of a cache line and beside it, past the caches and not.
TYPED_TEST(TransposingTraversal, StoresBlocksAndNothingAround) {
  using T = TypeParam;
  constexpr int side = detail::transposed_side<T>, stride = 3 * 64 / static_cast<int>(sizeof(T));
  test::Random random(77);
  std::vector<T> block(side * side);
  for (T& value : block) value = static_cast<T>(random.small(1, 200));
  for (int round = 0; round < 60; ++round) {
    const test::LimitedInstructions limited(test::all_instruction_sets[round / 4 % 3]);
    const bool is_whole = round % 3 != 0, non_temporal = round % 2 == 1;
    const int width = is_whole ? side : static_cast<int>(random.small(1, side));
    const int height = is_whole ? side : static_cast<int>(random.small(1, side));
    const int offset = round % 4 < 2 ? 0 : static_cast<int>(random.small(1, side));
    alignas(64) T result[stride * side] = {};
    detail::store_transposed<sizeof(T)>(block.data(), reinterpret_cast<std::byte*>(result + offset),
                                        stride * static_cast<int>(sizeof(T)), width, height, non_temporal);
    detail::finish_non_temporal_stores();
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < stride; ++x) {
        const bool is_inside = y < height && x >= offset && x < offset + width;
        const T expected = is_inside ? block[static_cast<std::size_t>((x - offset) * side + y)] : T(0);
        ASSERT_EQ(result[y * stride + x], expected) << x << ", " << y << " in round " << round;
      }
  }
}

/// Several times as high as the groups of blocks that are transposed together.
TYPED_TEST(TransposingTraversal, EqualsBruteForceInHighTiles) {
  test::Random random(12);
  const Box box{{-3, 150}, {-5, 2200}};
  const auto image = noise<TypeParam>(random, Box{{-5, 2200}, {-3, 150}});
  Pipeline pipeline;
  const auto input = pipeline.input<TypeParam, 2>("input", image.box);
  pipeline.output(pipeline.stage<TypeParam>("turned", Transpose(), input), box);
  Schedule schedule;
  schedule.stages["turned"].tile = {150, 2150};
  for (std::int64_t cache_bytes : {0, 1}) {
    Target target;
    target.cache_bytes = cache_bytes;
    test::ArraySource<TypeParam> source(image);
    test::ArraySink<TypeParam> sink(box);
    Rehearsal(pipeline, make_plans(pipeline, schedule, target, 1))
        .run({{{"input", &source}}, {{"turned", &sink}}});
    test::for_each_point(box, [&](const Point& p) {
      Point at{};
      at[0] = p[1];
      at[1] = p[0];
      ASSERT_EQ(sink.array.at(p), image.at(at));
    });
  }
}

/// The automatic tile of the last of several transposes, which are all computed in its tiles.
TileSize automatic_tile(int transposes, const Box& box, int threads) {
  Pipeline pipeline;
  auto last = pipeline.input<std::uint16_t, 2>("input", box, Boundary::clamp);
  Schedule schedule;
  for (int i = 0; i < transposes; ++i) {
    const std::string name = "turned" + std::to_string(i);
    last = pipeline.stage<std::uint16_t>(name, Transpose(), last);
    if (i + 1 < transposes) schedule.stages[name].placement = Placement::tile;
  }
  pipeline.output(last, box);
  Target target;
  target.threads = threads;
  const Plan plan = make_plan(pipeline, schedule, target, 1, 0);
  TileSize tile;
  walk(plan.root, [&](const PlanNode& node) {
    if (const auto* step = std::get_if<plan::Compute>(&node.step)) tile = step->tile;
  });
  return tile;
}

TEST(TransposingTraversal, HasNarrowAndHighTilesOfWholeBlocks) {
  const Box large{{0, 4096}, {0, 4096}}, middle{{0, 1000}, {0, 1000}};
  EXPECT_EQ(automatic_tile(1, large, 2), (TileSize{64, 4096}));
  EXPECT_EQ(automatic_tile(1, middle, 4), (TileSize{64, 448}));
  EXPECT_EQ(automatic_tile(1, middle, 64), (TileSize{64, 64}));
  EXPECT_EQ(automatic_tile(1, Box{{0, 30}, {0, 20}}, 64), (TileSize{30, 20}));
  // What is fused stays in cache.
  EXPECT_EQ(automatic_tile(3, large, 2), (TileSize{64, 1536}));
}

}  // namespace
