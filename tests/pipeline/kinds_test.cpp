// SPDX-License-Identifier: BSD-3-Clause
// Kinds of stages, one at a time, on as many ranks as there may be.
#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/rehearsal.hpp"

namespace {

using namespace tessera;
using test::Point;

/// Of coordinates alone.
struct Ramp {
  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord x, Coord y) const {
    return cast<int>(x * 10 + y);
  }
};

TEST(Kinds, AStageWithoutInputs) {
  const Box box{{-2, 9}, {0, 5}};
  Pipeline pipeline;
  pipeline.output(pipeline.stage<int, 2>("ramp", Ramp()), box);
  test::ArraySink<int> sink(box);
  Rehearsal(pipeline, {}, {}, 3).run({{}, {{"ramp", &sink}}});
  EXPECT_TRUE(sink.every_point_written_once());
  test::for_each_point(box, [&](const Point& p) { EXPECT_EQ(sink.array.at(p), p[0] * 10 + p[1]); });
}

TEST(Kinds, AReductionTakesAllPointsOfItsBox) {
  test::WholeArray<int> image(Box{{0, 9}, {0, 7}});
  for (std::size_t i = 0; i < image.values.size(); ++i) image.values[i] = static_cast<int>(i * i);
  const Box over{{3, 8}, {2, 6}};
  std::int64_t expected = 0;
  test::for_each_point(over, [&](const Point& p) { expected += image.at(p); });
  Pipeline pipeline;
  const auto input = pipeline.input<int, 2>("input", image.box);
  pipeline.output(pipeline.reduce("sum", Sum<int>(), input, over));
  for (int ranks : {1, 4, 50}) {
    test::ArraySource<int> source(image);
    test::ArraySink<std::int64_t> sink(Box{{0, 1}});
    Rehearsal(pipeline, {}, {2, false}, ranks).run({{{"input", &source}}, {{"sum", &sink}}});
    EXPECT_EQ(sink.array.values[0], expected) << ranks;
    EXPECT_TRUE(sink.every_point_written_once());
  }
}

}  // namespace
