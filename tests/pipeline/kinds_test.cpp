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

}  // namespace
