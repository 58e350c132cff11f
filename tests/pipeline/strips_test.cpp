// SPDX-License-Identifier: BSD-3-Clause
// Outputs that only reductions read are computed in strips of rows: also where a tile has many of them.
#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/view/reductions.hpp"

namespace {

using namespace tessera;
using test::Point;

struct SumAndDifference {
  template <class In, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Rest... rest) const {
    return pack(in(x, y - 1, rest...) + in(x, y + 1, rest...), in(x + 1, y, rest...) - in(x, y, rest...));
  }
};

/// Sums of all values of the small types and their extremes, in one piece.
template <class T>
void expect_row_sum() {
  using Limits = std::numeric_limits<T>;
  for (const T value : {Limits::lowest(), Limits::max(), T(1)}) {
    const std::vector<T> row(100000, value);
    typename Sum<T>::Value sum;
    Sum<T>().init(sum);
    Sum<T>().add_row(sum, row.data(), static_cast<std::int64_t>(row.size()));
    EXPECT_EQ(sum, static_cast<typename Sum<T>::Value>(value) * 100000);
  }
}

TEST(Strips, SumsOfSmallIntegersDoNotOverflow) {
  expect_row_sum<std::int8_t>();
  expect_row_sum<std::uint8_t>();
  expect_row_sum<std::int16_t>();
  expect_row_sum<std::uint16_t>();
}

template <int N>
void expect_plain(const Box& box, const Box& reduced, const TileSize& tile, int ranks) {
  test::Random random(811);
  test::WholeArray<std::int32_t> image(box);
  for (auto& value : image.values) value = random.small(-1000, 1000);
  Pipeline pipeline;
  const auto input = pipeline.input<std::int32_t, N>("input", box, Boundary::clamp);
  const auto [sum, difference] =
      pipeline.stages<TypeList<std::int32_t, std::int32_t>>({"sum", "difference"}, SumAndDifference(), input);
  pipeline.output(sum, box);
  pipeline.output(pipeline.reduce("total", Sum<std::int32_t>(), difference, reduced));
  pipeline.output(pipeline.reduce("most", Maximum<std::int32_t>(), difference, reduced));

  test::WholeArray<std::int32_t> expected(box);
  std::int64_t total = 0;
  std::int32_t most = std::numeric_limits<std::int32_t>::lowest();
  test::for_each_point(box, [&](const Point& p) {
    const auto at = [&](std::int64_t dx, std::int64_t dy) {
      return image.clamped({{p[0] + dx, p[1] + dy, p[2], p[3]}});
    };
    expected.at(p) = at(0, -1) + at(0, 1);
    if (!reduced.contains(p)) return;
    total += at(1, 0) - at(0, 0);
    most = std::max(most, at(1, 0) - at(0, 0));
  });

  Schedule schedule;
  schedule.stages["sum"].tile = tile;
  Target target;
  target.threads = 2;
  test::ArraySource<std::int32_t> source(image);
  test::ArraySink<std::int32_t> sums(box), greatest(Box{{0, 1}});
  test::ArraySink<std::int64_t> totals(Box{{0, 1}});
  Rehearsal(pipeline, make_plans(pipeline, schedule, target, ranks))
      .run({{{"input", &source}}, {{"sum", &sums}, {"total", &totals}, {"most", &greatest}}});
  const std::string text =
      to_string(box) + " reduced on " + to_string(reduced) + ", on " + std::to_string(ranks) + " ranks";
  EXPECT_TRUE(sums.array.same_bits(expected)) << text;
  EXPECT_EQ(totals.array.values.front(), total) << text;
  EXPECT_EQ(greatest.array.values.front(), most) << text;
}

TEST(Strips, TilesOfManyHoldWhatPlainLoopsHold) {
  const Box plane{{-3, 1200}, {2, 45}}, part{{40, 1100}, {9, 38}};
  for (int ranks : {1, 3})
    for (const TileSize& tile : {TileSize{5000, 40}, TileSize{300, 40}, TileSize{5000, 1}, TileSize{}}) {
      expect_plain<2>(plane, plane, tile, ranks);
      expect_plain<2>(plane, part, tile, ranks);
    }
  const Box cube{{0, 130}, {-2, 35}, {0, 7}}, piece{{3, 100}, {5, 30}, {2, 6}};
  for (const TileSize& tile : {TileSize{200, 40, 3}, TileSize{50, 7, 7}, TileSize{}}) {
    expect_plain<3>(cube, cube, tile, 2);
    expect_plain<3>(cube, piece, tile, 2);
  }
}

}  // namespace
