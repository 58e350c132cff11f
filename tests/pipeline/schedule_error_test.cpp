// SPDX-License-Identifier: BSD-3-Clause
// Schedules that do not fit: which key is blamed, and what the message says.
#include <gtest/gtest.h>

#include "domain/random.hpp"
#include "messages.hpp"
#include "pipeline/plan_sample.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;
using test::expect_message;

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
  expect_message(error.message, {"no stage", "input", "'bz'"});
}

TEST(ScheduleError, InputsAndOutputsAreDistributed) {
  for (Placement placement :
       {Placement::rank, Placement::replicated, Placement::tile, Placement::window, Placement::outer_tile})
    for (const char* name : {"input", "bv"}) {
      Schedule schedule;
      schedule.stages[name].placement = placement;
      const Blamed error = blamed(schedule);
      EXPECT_EQ(error.key, std::string("schedule.").append(name).append(".compute"));
      expect_message(error.message, {name, "be '" + std::string(name_of(placement)), "only 'distributed'"});
    }
}

TEST(ScheduleError, GridOfAStage) {
  Schedule schedule;
  schedule.stages["bh"].grid = GridRequest{{2, 3}};
  const Blamed error = blamed(schedule);
  EXPECT_EQ(error.key, "schedule.bh.grid");
  expect_message(error.message, {"processor grid", "start another", "'idle'"});
}

TEST(ScheduleError, GridOfAll) {
  Schedule schedule;
  schedule.grid = {{3, 0}};
  EXPECT_EQ(blamed(schedule).key, "grid");
  EXPECT_NE(blamed(schedule).message.find("[3, auto] does not multiply to 4 ranks"), std::string::npos);
  schedule.grid = {{1, 2, 2}};
  EXPECT_EQ(blamed(schedule).key, "grid");
  expect_message(blamed(schedule).message, {"grid [1, 2, 2]", "3 entries", "leave some"});
}

TEST(ScheduleError, TileWithTooManyEntries) {
  Schedule schedule;
  schedule.stages["bv"].tile = {4, 4, 4};
  const Blamed error = blamed(schedule);
  EXPECT_EQ(error.key, "schedule.bv.tile");
  expect_message(error.message, {"3 entries", "'bv'", "leave some"});
}

TEST(ScheduleError, TileWithoutPoints) {
  for (std::int64_t size : {0, -3}) {
    Schedule schedule;
    schedule.stages["bv"].tile = {8, size};
    const Blamed error = blamed(schedule);
    EXPECT_EQ(error.key, "schedule.bv.tile");
    expect_message(error.message, {"tile of " + std::to_string(size), "every entry"});
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
  expect_message(message([&] { pipeline.stage<float>("copy", Copy{}, input); }),
                 {"pipeline has two", "stages named", "'copy'"});
  expect_message(message([&] { pipeline.input<float, 3>("volume", image); }),
                 {"'volume'", "3 dimensions", "domain"});
  expect_message(message([&] {
                   pipeline.input<float, 2>("nothing", Box{{0, 0}, {0, 3}});
                 }),
                 {"'nothing'", "2 dimensions", "domain is empty"});
  expect_message(message([&] { pipeline.output(input); }), {"'input'", "cannot", "output"});
  expect_message(message([&] { pipeline.output(copy, Box{{0, 3}}); }), {"'copy'", "cannot", "output"});
  expect_message(message([&] { static_cast<void>(pipeline.find("other")); }),
                 {"no stage", "input", "'other'"});
  expect_message(message([&] { make_plan(pipeline, {}, {}, 1, 0); }), {"'copy'", "leads", "no output"});
}

TEST(PipelineErrors, ReadingPastAnInputWithoutBoundary) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 1>("input", Box{{0, 9}});
  pipeline.output(pipeline.stage<float>("left", Left{}, input));
  expect_message(test::message_of<InternalError>([&] { make_plan(pipeline, {}, {}, 1, 0); }),
                 {"'input'", "boundary condition", "stages read"});
}

TEST(PipelineErrors, NoneInsideTheDomain) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 1>("input", Box{{-1, 9}});
  pipeline.output(pipeline.stage<float>("left", Left{}, input), Box{{0, 9}});
  EXPECT_EQ(make_plan(pipeline, {}, {}, 1, 0).stages[ArrayId{0}].required, (Box{{-1, 8}}));
}

}  // namespace
