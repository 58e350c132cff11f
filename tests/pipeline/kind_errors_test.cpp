// SPDX-License-Identifier: BSD-3-Clause
// Schedules and pipelines that kinds of stages do not allow: which key is blamed, and what the message says.
#include <gtest/gtest.h>

#include "messages.hpp"
#include "pipeline/instance_sample.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;
using test::expect_message;

const Box image{{0, 16}, {0, 12}};

/// "key: message".
std::string error_of(const Algorithm& pipeline, const Schedule& schedule, const Target& target = {},
                     int ranks = 4) {
  try {
    make_plan(pipeline, schedule, target, ranks, 0);
  } catch (const ScheduleError& error) {
    return std::string(error.key).append(": ").append(error.what());
  }
  return "nothing was thrown";
}

std::string error_of_placement(const Algorithm& pipeline, const std::string& stage, Placement placement) {
  Schedule schedule;
  schedule.stages[stage].placement = placement;
  return error_of(pipeline, schedule);
}

TEST(KindErrors, ArraysWithoutAKernelAreInputsOrFed) {
  IdVector<ArrayId, ArrayDeclaration> arrays;
  arrays.push_back({.name = "lost", .dimensions = 2, .domain = image});
  try {
    const Algorithm pipeline(arrays, {}, {});
    FAIL() << "nothing was thrown";
  } catch (const InternalError& error) {
    expect_message(error.what(), {"'lost'", "ArrayKind::input"});
  }
  arrays[ArrayId{0}].kind = ArrayKind::input;
  EXPECT_NO_THROW(Algorithm(arrays, {}, {}));
}

TEST(KindErrors, ReductionsAndAnyOutputOfAStageAreDistributed) {
  test::InstanceSample sample(image);
  for (const Placement placement : {Placement::tile, Placement::rank, Placement::replicated}) {
    expect_message(error_of_placement(sample.pipeline, "mean", placement),
                   {"'mean'", std::string(name_of(placement)), "contributes its points"});
  }
  // One of the outputs of the stage "dx".
  sample.pipeline.output(Array<double, 2>{sample.pipeline.find("dy")}, image);
  expect_message(error_of_placement(sample.pipeline, "dx", Placement::tile),
                 {"'dx'", "only 'distributed'", "owners write"});
}

TEST(KindErrors, FurtherOutputsHaveTheScheduleOfTheFirst) {
  const test::InstanceSample sample(image);
  expect_message(error_of_placement(sample.pipeline, "dy", Placement::rank),
                 {"'dy'", "computed together", "schedule that instead"});
  Schedule schedule;
  schedule.stages["dy"].tile = {4, 4};
  expect_message(error_of(sample.pipeline, schedule), {"'dy'", "computed together", "schedule that instead"});
  schedule.stages["dy"] = {};
  EXPECT_EQ(error_of(sample.pipeline, schedule), "nothing was thrown");
}

TEST(KindErrors, TilesAndGridsOfAReductionAreThoseOfItsPoints) {
  const test::InstanceSample sample(image);
  Schedule schedule;
  schedule.stages["mean"].tile = {4, 4};
  schedule.stages["mean"].grid = GridRequest{{2, 2}};
  EXPECT_EQ(error_of(sample.pipeline, schedule), "nothing was thrown");
  schedule.stages["mean"].tile = {4, 4, 4};
  expect_message(error_of(sample.pipeline, schedule), {"3 entries", "'mean'", "leave some"});
  schedule.stages["mean"].tile = {};
  schedule.stages["mean"].grid = GridRequest{{3, 1}};
  EXPECT_EQ(error_of(sample.pipeline, schedule).substr(0, 20), "schedule.mean.grid: ");
}

TEST(KindErrors, MoreMemoryThanThereIs) {
  const test::InstanceSample sample(image);
  Target target;
  target.memory_bytes = make_plan(sample.pipeline, {}, {}, 4, 0).peak_bytes();
  EXPECT_EQ(error_of(sample.pipeline, {}, target), "nothing was thrown");
  --target.memory_bytes;
  const std::string error = error_of(sample.pipeline, {}, target);
  EXPECT_EQ(error.substr(0, 26), "memory: rank 0 of 4 needs ");
  EXPECT_NE(error.find("use more ranks, or a schedule that keeps less"), std::string::npos) << error;
}

struct AlongX {
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord y) const {
    for (int i = 0; i < line.extent(); ++i) line(i) = in(i, y);
  }
};
struct Here {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x + 1, y);
  }
};

TEST(KindErrors, LinesHaveTheirPointsAndNoMore) {
  const auto message = [](const auto& call) { return test::message_of<InternalError>(call); };
  Pipeline pipeline;
  const auto in = pipeline.input<float, 2>("in", image, Boundary::clamp);
  expect_message(message([&] { (pipeline.columns<float, 2, 0>("none", AlongX(), 0, in)); }),
                 {"lines", "'none'", "have 0"});
  const auto lines = pipeline.columns<float, 2, 0>("lines", AlongX(), 5, in);
  expect_message(message([&] { pipeline.output(lines, image); }), {"'lines'", "cannot", "dimension 0"});
  pipeline.output(pipeline.stage<float>("here", Here(), lines), Box{{0, 5}, {0, 3}});
  expect_message(message([&] { make_plan(pipeline, {}, {}, 1, 0); }),
                 {"'lines'", "stages read", "limit the index"});
}

struct Next {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord i) const {
    return in(i + 1);
  }
};

TEST(KindErrors, ResultsHaveTheirElementsAndNoMore) {
  Pipeline pipeline;
  const auto in = pipeline.input<std::uint8_t, 2>("in", image, Boundary::clamp);
  const auto counts = pipeline.reduce("counts", Histogram<std::uint8_t, 4>(), in);
  const auto picked = pipeline.stage<std::uint64_t, 1>("picked", Next(), counts);
  pipeline.output(picked, Box{{0, 4}});
  expect_message(test::message_of<InternalError>([&] { make_plan(pipeline, {}, {}, 1, 0); }),
                 {"'counts'", "stages read", "limit the index"});
}

TEST(KindErrors, AStageWithSeveralOutputsLeadsToAnOutput) {
  Pipeline pipeline;
  const auto in = pipeline.input<float, 2>("in", image, Boundary::clamp);
  pipeline.output(pipeline.stage<float>("smooth", test::Smooth(), in));
  pipeline.stages<TypeList<float, double>>({"dx", "dy"}, test::TwoSlopes(), in);
  expect_message(test::message_of<InternalError>([&] { make_plan(pipeline, {}, {}, 1, 0); }),
                 {"'dx'", "leads", "no output"});
}

TEST(KindErrors, NamesAndBoxesThatAreMissing) {
  const auto message = [](const auto& call) { return test::message_of<InternalError>(call); };
  Pipeline pipeline;
  const auto in = pipeline.input<float, 2>("in", image, Boundary::clamp);
  using Slopes = TypeList<float, double>;
  expect_message(message([&] { pipeline.stages<Slopes>({"one"}, test::TwoSlopes(), in); }),
                 {"2 outputs", "given 1 names"});
  expect_message(message([&] {
                   pipeline.stages<Slopes>({"one", "two", "three"}, test::TwoSlopes(), in);
                 }),
                 {"2 outputs", "given 3 names"});
  const auto smooth = pipeline.stage<float>("smooth", test::Smooth(), in);
  expect_message(message([&] { pipeline.reduce("mean", Mean<float>(), smooth); }),
                 {"'mean'", "know over", "give a box"});
}

}  // namespace
