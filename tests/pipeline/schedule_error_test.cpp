// SPDX-License-Identifier: BSD-3-Clause
// Schedules that do not fit: which key is blamed, and what the message says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "domain/random.hpp"
#include "pipeline/plan_sample.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;

const Box image{{0, 16}, {0, 12}};

struct Blamed {
  std::string key;
  std::string message;
};

Blamed blamed(const Schedule& schedule, int ranks = 4) {
  const Pipeline pipeline = test::blur_pipeline<float>(image, image);
  try {
    make_plan(pipeline, schedule, {}, ranks, 0);
  } catch (const ScheduleError& error) {
    return {error.key, error.what()};
  }
  return {"", "nothing was thrown"};
}

TEST(ScheduleError, UnknownStage) {
  Schedule schedule;
  schedule.stages["bz"] = {};
  const Blamed error = blamed(schedule);
  EXPECT_EQ(error.key, "schedule.bz");
  EXPECT_EQ(error.message, "the pipeline has no stage or input 'bz'");
}

TEST(ScheduleError, InputsAndOutputsAreDistributed) {
  for (Placement placement :
       {Placement::rank, Placement::replicated, Placement::tile, Placement::window, Placement::outer_tile})
    for (const char* name : {"input", "bv"}) {
      Schedule schedule;
      schedule.stages[name].placement = placement;
      const Blamed error = blamed(schedule);
      EXPECT_EQ(error.key, std::string("schedule.").append(name).append(".compute"));
      const bool is_input = name == std::string("input");
      EXPECT_EQ(error.message, fmt::format("the {} '{}' cannot be '{}', only 'distributed': its owners {} it",
                                           is_input ? "input" : "output", name, name_of(placement),
                                           is_input ? "read" : "write"));
    }
}

TEST(ScheduleError, GridOfAStage) {
  Schedule schedule;
  schedule.stages["bh"].grid = GridRequest{{2, 3}};
  const Blamed error = blamed(schedule);
  EXPECT_EQ(error.key, "schedule.bh.grid");
  EXPECT_EQ(
      error.message,
      "the processor grid [2, 3] does not multiply to 4 ranks: write [1, auto], start another number of "
      "ranks, or set 'idle' to allowed");
}

TEST(ScheduleError, GridOfAll) {
  Schedule schedule;
  schedule.grid = {{3, 0}};
  EXPECT_EQ(blamed(schedule).key, "grid");
  EXPECT_NE(blamed(schedule).message.find("[3, auto] does not multiply to 4 ranks"), std::string::npos);
  schedule.grid = {{1, 2, 2}};
  EXPECT_EQ(blamed(schedule).key, "grid");
  EXPECT_EQ(blamed(schedule).message,
            "the processor grid [1, 2, 2] has 3 entries, but the array has 2 dimensions: leave some out");
}

TEST(ScheduleError, TileWithTooManyEntries) {
  Schedule schedule;
  schedule.stages["bv"].tile = {4, 4, 4};
  const Blamed error = blamed(schedule);
  EXPECT_EQ(error.key, "schedule.bv.tile");
  EXPECT_EQ(error.message, "3 entries, but 'bv' has 2 dimensions: leave some out");
}

TEST(ScheduleError, TileWithoutPoints) {
  for (std::int64_t size : {0, -3}) {
    Schedule schedule;
    schedule.stages["bv"].tile = {8, size};
    const Blamed error = blamed(schedule);
    EXPECT_EQ(error.key, "schedule.bv.tile");
    EXPECT_EQ(error.message, std::string("a tile of ")
                                 .append(std::to_string(size))
                                 .append(" points: every entry must be at least 1"));
  }
}

TEST(ScheduleError, IsAnInputErrorOnEveryRank) {
  const Pipeline pipeline = test::blur_pipeline<float>(image, image);
  Schedule schedule;
  schedule.grid = {{3, 1}};
  for (int rank = 0; rank < 4; ++rank)
    EXPECT_THROW(make_plan(pipeline, schedule, {}, 4, rank), InputError) << rank;
}

TEST(ScheduleError, NamesOfPlacements) {
  EXPECT_EQ(name_of(Placement::distributed), "distributed");
  EXPECT_EQ(name_of(Placement::rank), "rank");
  EXPECT_EQ(name_of(Placement::replicated), "replicated");
  EXPECT_EQ(name_of(Placement::tile), "tile");
  EXPECT_EQ(name_of(Placement::window), "window");
  EXPECT_EQ(name_of(Placement::outer_tile), "outer_tile");
}

struct Copy {
  template <class In, class... Coords>
  KOKKOS_FUNCTION auto operator()(const In& in, Coords... at) const {
    return in(at...);
  }
};
struct Left {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x - 1);
  }
};

TEST(PipelineErrors, ContradictionsAreInternalErrors) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", image);
  const auto copy = pipeline.stage<float>("copy", Copy{}, input);
  const auto message = [](const auto& call) { return test::message_of<InternalError>(call); };
  EXPECT_EQ(message([&] { pipeline.stage<float>("copy", Copy{}, input); }),
            "the pipeline has two stages named 'copy'");
  EXPECT_EQ(message([&] { pipeline.input<float, 3>("volume", image); }),
            "the input 'volume' has 3 dimensions, but its domain is [0, 16) x [0, 12)");
  EXPECT_EQ(message([&] {
              pipeline.input<float, 2>("nothing", Box{{0, 0}, {0, 3}});
            }),
            "the input 'nothing' has 2 dimensions, but its domain is empty");
  EXPECT_EQ(message([&] { pipeline.output(input); }), "'input' cannot be an output on [0, 16) x [0, 12)");
  EXPECT_EQ(message([&] { pipeline.output(copy, Box{{0, 3}}); }), "'copy' cannot be an output on [0, 3)");
  EXPECT_EQ(message([&] { static_cast<void>(pipeline.find("other")); }),
            "the pipeline has no stage or input 'other'");
  EXPECT_EQ(message([&] { make_plan(pipeline, {}, {}, 1, 0); }), "stage 'copy' leads to no output");
}

TEST(PipelineErrors, ReadingPastAnInputWithoutBoundary) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 1>("input", Box{{0, 9}});
  pipeline.output(pipeline.stage<float>("left", Left{}, input));
  EXPECT_EQ(
      test::message_of<InternalError>([&] { make_plan(pipeline, {}, {}, 1, 0); }),
      "the input 'input' is [0, 9) and has no boundary condition in dimension 0, but stages read [-1, 8)");
}

TEST(PipelineErrors, NoneInsideTheDomain) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 1>("input", Box{{-1, 9}});
  pipeline.output(pipeline.stage<float>("left", Left{}, input), Box{{0, 9}});
  EXPECT_EQ(make_plan(pipeline, {}, {}, 1, 0).stages[0].required, (Box{{-1, 8}}));
}

}  // namespace
