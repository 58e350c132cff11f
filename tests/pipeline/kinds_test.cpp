// SPDX-License-Identifier: BSD-3-Clause
// Kinds of stages, one at a time, on as many ranks as there may be.
#include <gtest/gtest.h>

#include "messages.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::Point;

/// A body that reads coordinates alone.
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
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, 3)).run({{}, {{"ramp", &sink}}});
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
    Rehearsal(pipeline, make_plans(pipeline, {}, {2, false}, ranks))
        .run({{{"input", &source}}, {{"sum", &sink}}});
    EXPECT_EQ(sink.array.values[0], expected) << ranks;
    EXPECT_TRUE(sink.every_point_written_once());
  }
}

/// A line along y.
struct Down {
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord x) const {
    for (int i = 0; i < line.extent(); ++i) line(i) = in(x, i);
  }
};
struct Reread {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x + 1, clamp(y - x, 0, 5));
  }
};

/// The grids of lines along y and of the image made of them.
std::vector<std::string> grids_of_lines(const Schedule& schedule, int ranks) {
  const Box box{{0, 12}, {0, 6}};
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", box, Boundary::clamp);
  const auto lines = pipeline.columns<float, 2, 1>("lines", Down(), 6, input);
  pipeline.output(pipeline.stage<float>("image", Reread(), lines), box);
  const Plan plan = make_plan(pipeline, schedule, {}, ranks, 0);
  return {plan.stages[ArrayId{1}].grid.text(), plan.stages[ArrayId{2}].grid.text()};
}

TEST(Kinds, GridsOfAllStagesDoNotCutLines) {
  using Grids = std::vector<std::string>;
  Schedule schedule;
  EXPECT_EQ(grids_of_lines(schedule, 4), (Grids{"[4, 1]", "[1, 4]"}));
  schedule.grid = {{2, 2}};
  EXPECT_EQ(grids_of_lines(schedule, 4), (Grids{"[4, 1]", "[2, 2]"}));
  schedule.grid = {{0, 0}};
  EXPECT_EQ(grids_of_lines(schedule, 4)[0], "[4, 1]");
  schedule.grid = {{4, 1}};
  EXPECT_EQ(grids_of_lines(schedule, 4), (Grids{"[4, 1]", "[4, 1]"}));
}

TEST(Kinds, AutoInAGridOfLinesDoesNotCutThem) {
  Schedule schedule;
  schedule.stages["lines"].grid = GridRequest{{0, 0}};
  EXPECT_EQ(grids_of_lines(schedule, 6)[0], "[6, 1]");
}

TEST(Kinds, LinesThatAreNotDistributedFollowTheGridsOfTheirConsumers) {
  Schedule schedule;
  schedule.grid = {{2, 2}};
  for (Placement placement : {Placement::rank, Placement::replicated, Placement::tile}) {
    schedule.stages["lines"].placement = placement;
    EXPECT_EQ(grids_of_lines(schedule, 4)[1], "[2, 2]");
  }
}

TEST(Kinds, GridsThatCutLinesAreErrors) {
  Schedule schedule;
  schedule.stages["lines"].grid = GridRequest{{2, 2}};
  try {
    grids_of_lines(schedule, 4);
    FAIL() << "nothing was thrown";
  } catch (const ScheduleError& error) {
    EXPECT_EQ(error.key, "schedule.lines.grid");
    test::expect_message(error.what(), {"'lines'", "computed in whole", "lines along"});
  }
}

}  // namespace
