// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/schedule_keys.hpp"

#include <gtest/gtest.h>

#include "messages.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace tessera::app {
namespace {

const ScheduleNames names{{"image"}, {"low", "high"}, {"mean"}, {"result"}, {"solve"}};

deck::Deck load(const std::string& text) {
  deck::Schema schema;
  declare_schedule_keys(schema, names);
  return deck::load(schema, {{"d.yaml", text}});
}

Schedule schedule(const std::string& text, bool device = false) {
  return schedule_from_deck(load(text), names, device);
}

TEST(ScheduleKeysTest, StagesWithinAnotherFollowItsKeys) {
  ScheduleNames steps{{"image"}, {"smooth_x", "smooth", "clean_x"}, {}, {"clean"}};
  steps.within = {{"smooth_x", "smooth"}, {"clean_x", "clean"}};
  steps.default_compute = "auto";
  deck::Schema schema;
  declare_schedule_keys(schema, steps);
  const auto made = [&](const std::string& text) {
    const deck::Deck deck = deck::load(schema, {{"d.yaml", text}});
    // A deck that is printed says the same.
    EXPECT_TRUE(deck::load(schema, {{"p.yaml", deck::print(deck)}}) == deck) << text;
    return schedule_from_deck(deck, steps, false).stages;
  };
  for (auto& [name, stage] : made("{}")) {
    if (name == "image") continue;
    EXPECT_EQ(stage.placement, Placement::automatic) << name;
  }
  auto stages =
      made("schedule: {smooth: {compute: tile, tile: [64, 8], grid: [2]}, clean: {compute: distributed}}");
  EXPECT_EQ(stages["smooth_x"].placement, Placement::tile);
  EXPECT_EQ(stages["smooth_x"].tile, (TileSize{64, 8}));
  EXPECT_EQ(stages["smooth_x"].grid->text(), "[2]");
  EXPECT_EQ(stages["clean_x"].placement, Placement::distributed);
  stages = made("schedule: {smooth: {compute: tile}, smooth_x: {compute: rank}}");
  EXPECT_EQ(stages["smooth"].placement, Placement::tile);
  EXPECT_EQ(stages["smooth_x"].placement, Placement::rank);
}

TEST(ScheduleKeysTest, Defaults) {
  const Schedule made = schedule("{}");
  EXPECT_EQ(made.grid.text(), "[1, auto]");
  EXPECT_EQ(made.stages.size(), 5U);
  for (const auto& [name, stage] : made.stages) {
    EXPECT_EQ(stage.placement, Placement::distributed) << name;
    EXPECT_FALSE(stage.grid) << name;
    EXPECT_TRUE(stage.tile.empty()) << name;
    EXPECT_TRUE(stage.inner.empty()) << name;
  }
}

TEST(ScheduleKeysTest, EveryPlacementHasItsWord) {
  for (Placement placement : {Placement::distributed, Placement::rank, Placement::replicated, Placement::tile,
                              Placement::window, Placement::outer_tile, Placement::automatic}) {
    const Schedule made = schedule("schedule: {high: {compute: " + std::string(name_of(placement)) + "}}");
    EXPECT_EQ(made.stages.at("high").placement, placement);
    EXPECT_EQ(made.stages.at("low").placement, Placement::distributed);
  }
}

TEST(ScheduleKeysTest, Grids) {
  const Schedule made =
      schedule("{grid: [auto, 2], schedule: {image: {grid: [3]}, result: {grid: [4, auto]}}}");
  EXPECT_EQ(made.grid.text(), "[auto, 2]");
  EXPECT_EQ(made.stages.at("image").grid->text(), "[3]");
  EXPECT_EQ(made.stages.at("result").grid->text(), "[4, auto]");
  EXPECT_FALSE(made.stages.at("low").grid);
}

TEST(ScheduleKeysTest, IdleRanksAndTheirOrder) {
  const Schedule usual = schedule("schedule: {low: {grid: [2, auto]}}");
  EXPECT_FALSE(usual.grid.may_leave_idle);
  EXPECT_EQ(usual.grid.order, std::vector<int>{0});
  const Schedule made = schedule("{idle: allowed, order: [y, x], schedule: {low: {grid: [2, auto]}}}");
  for (const GridRequest& request : {made.grid, *made.stages.at("low").grid}) {
    EXPECT_TRUE(request.may_leave_idle);
    EXPECT_EQ(request.order, (std::vector<int>{1, 0}));
  }
  EXPECT_THROW(load("order: [y, y]"), InputError);
  EXPECT_THROW(load("order: [u]"), InputError);
}

TEST(ScheduleKeysTest, Slices) {
  EXPECT_EQ(schedule("{}").slicing, Slicing::ceil);
  EXPECT_EQ(schedule("slices: ceil").slicing, Slicing::ceil);
  EXPECT_EQ(schedule("slices: balanced").slicing, Slicing::balanced);
}

TEST(ScheduleKeysTest, Alignment) {
  const Schedule made = schedule("schedule: {low: {align: own}, high: {align: consumer}}");
  EXPECT_TRUE(made.stages.at("low").align_own);
  EXPECT_FALSE(made.stages.at("high").align_own);
  EXPECT_FALSE(made.stages.at("result").align_own);
}

TEST(ScheduleKeysTest, TilesOfHostsAndDevices) {
  const std::string text = "schedule: {low: {tile: {host: [4096, 32], device: [64, 8]}}, high: {tile: [7]}}";
  EXPECT_EQ(schedule(text).stages.at("low").tile, (TileSize{4096, 32}));
  EXPECT_EQ(schedule(text, true).stages.at("low").tile, (TileSize{64, 8}));
  EXPECT_EQ(schedule(text, true).stages.at("high").tile, TileSize{7});
  EXPECT_TRUE(schedule(text).stages.at("result").tile.empty());
  const std::string inner = "schedule: {low: {inner: {host: [4096, 8], device: auto}}, high: {inner: [7]}}";
  EXPECT_EQ(schedule(inner).stages.at("low").inner, (TileSize{4096, 8}));
  EXPECT_TRUE(schedule(inner, true).stages.at("low").inner.empty());
  EXPECT_EQ(schedule(inner).stages.at("high").inner, TileSize{7});
}

TEST(ScheduleKeysTest, TurnsOfLoops) {
  const LoopSchedule none = schedule("{}").loops.at("solve");
  EXPECT_EQ(none.turns(), 1);
  const LoopSchedule some =
      schedule("loops: {solve: {turns_per_exchange: 4, turns_per_test: 6}}").loops.at("solve");
  EXPECT_EQ(some.turns_per_exchange, 4);
  EXPECT_EQ(some.turns_per_tile, 1);
  EXPECT_EQ(some.turns_per_test, 6);
  EXPECT_FALSE(some.overlaps_test);
  EXPECT_TRUE(schedule("loops: {solve: {test: overlaps}}").loops.at("solve").overlaps_test);
  EXPECT_EQ(some.turns(), 6);
  EXPECT_THROW(schedule("loops: {solve: {turns_per_tile: 0}}"), InputError);
}

TEST(ScheduleKeysTest, PatternsNameManyStages) {
  const Schedule made =
      schedule("schedule: {'*': {compute: rank, tile: [8, 8]}, low: {compute: replicated}}");
  EXPECT_EQ(made.stages.at("low").placement, Placement::replicated);
  EXPECT_EQ(made.stages.at("high").placement, Placement::rank);
  // An output is computed by its owners: the pattern passes it by, but has its tile.
  EXPECT_EQ(made.stages.at("result").placement, Placement::distributed);
  EXPECT_EQ(made.stages.at("result").tile, (TileSize{8, 8}));
}

TEST(ScheduleKeysTest, WhatHasNoMeaningIsRefused) {
  for (const char* text : {"schedule: {image: {compute: rank}}", "schedule: {image: {tile: [8, 8]}}",
                           "schedule: {result: {compute: tile}}", "schedule: {nobody: {compute: rank}}",
                           "grid: [-1, auto]", "grid: []", "schedule: {low: {tile: [0]}}"})
    EXPECT_THROW(load(text), InputError) << text;
}

TEST(ScheduleKeysTest, Overlap) {
  EXPECT_EQ(schedule("{}").overlap, Overlap::automatic);
  EXPECT_EQ(schedule("overlap: on").overlap, Overlap::on);
  EXPECT_EQ(schedule("overlap: off").overlap, Overlap::off);
}

struct Copy {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x);
  }
};

TEST(ScheduleKeysTest, NamesThatAPipelineLacksArePassedOver) {
  Pipeline pipeline;
  const auto image = pipeline.input<float, 1>("image", Box{{0, 8}});
  pipeline.output(pipeline.stage<float>("result", Copy{}, pipeline.stage<float>("low", Copy{}, image)));
  const ScheduleNames common = common_names(names, pipeline);
  EXPECT_EQ(common.inputs, std::vector<std::string>{"image"});
  EXPECT_EQ(common.stages, std::vector<std::string>{"low"});
  EXPECT_TRUE(common.reductions.empty());
  EXPECT_EQ(common.outputs, std::vector<std::string>{"result"});
  const Schedule made = schedule_from_deck(load("schedule: {'*': {compute: rank}}"), common, false);
  EXPECT_EQ(made.stages.at("low").placement, Placement::rank);
  EXPECT_FALSE(made.stages.contains("high"));
}

TEST(ScheduleKeysTest, StagesWithinAnotherThatOnlyOwnersCanComputeStayDistributed) {
  Pipeline pipeline;
  const auto image = pipeline.input<float, 1>("image", Box{{0, 8}});
  const auto border = pipeline.stage<float>("step_border", Copy{}, image);
  pipeline.bound(border, Box{{0, 8}}, Boundary::periodic);
  const auto bounded = pipeline.stage<float>("step_bounded", Copy{}, border);
  pipeline.bound(bounded, Box{{0, 8}}, Boundary::periodic);
  const auto first = pipeline.stage<float>("step_first", Copy{}, bounded);
  const auto step = pipeline.stage<float>("step", Copy{}, first);
  pipeline.output(pipeline.reduce("step_least", Minimum<float>{}, first, Box{{0, 8}}));
  pipeline.output(pipeline.stage<float>("result", Copy{}, step));
  ScheduleNames names = schedule_names(pipeline);
  for (const char* name : {"step_border", "step_bounded", "step_first", "step_least"})
    names.within[name] = "step";
  deck::Schema schema;
  declare_schedule_keys(schema, names);
  for (const Placement placement : {Placement::tile, Placement::replicated}) {
    const std::string text = "schedule: {step: {compute: " + std::string(name_of(placement)) + "}}";
    const Schedule made =
        schedule_from_deck(deck::load(schema, {{"d.yaml", text}}), common_names(names, pipeline), false);
    EXPECT_EQ(made.stages.at("step").placement, placement);
    EXPECT_EQ(made.stages.at("step_first").placement, placement);
    EXPECT_EQ(made.stages.at("step_border").placement, Placement::distributed);
    EXPECT_EQ(made.stages.at("step_least").placement, Placement::distributed);
    // Beyond its periodic sides a rank can compute it, but not the whole of it.
    EXPECT_EQ(made.stages.at("step_bounded").placement,
              placement == Placement::tile ? Placement::tile : Placement::distributed);
  }
}

TEST(ScheduleKeysTest, NamesOfOtherPipelinesAreAdded) {
  const auto with_stages = [](const std::vector<std::string>& stages) {
    Pipeline pipeline;
    auto array = pipeline.input<float, 1>("input", Box{{0, 8}});
    for (const std::string& stage : stages) array = pipeline.stage<float>(stage, Copy{}, array);
    pipeline.output(pipeline.stage<float>("result", Copy{}, array));
    return pipeline;
  };
  ScheduleNames names = schedule_names(with_stages({"low", "high"}));
  add_names(names, with_stages({"wide", "low"}));
  EXPECT_EQ(names.stages, (std::vector<std::string>{"low", "high", "wide"}));
  EXPECT_EQ(names.outputs, std::vector<std::string>{"result"});
}

TEST(WritableStagesTest, SayWhyOtherArraysCannotBeWritten) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 1>("input", Box{{0, 8}});
  const auto smooth = pipeline.stage<float>("smooth", Copy{}, input);
  const auto iterate = pipeline.stage<float>("iterate", Copy{}, smooth);
  pipeline.bound(iterate, Box{{0, 8}}, Boundary::clamp);
  pipeline.repeat("solve", 3, [&](const Pipeline::Loop& loop) {
    loop.feed(pipeline.stage<float>("step", Copy{}, iterate), iterate);
  });
  pipeline.output(pipeline.stage<float>("result", Copy{}, iterate));
  WritableStages writable;
  writable.add(pipeline);
  EXPECT_EQ(writable.names, std::vector<std::string>{"smooth"});
  EXPECT_EQ(writable.reason_against("smooth"), "");
  const auto expect_reason = [&writable](const std::string& name, const std::string& reason) {
    test::expect_message(writable.reason_against(name), {"'" + name + "'", reason, "or name smooth"});
  };
  expect_reason("input", "is an input");
  expect_reason("result", "is the output");
  expect_reason("step", "in each turn of the loop 'solve'");
  expect_reason("iterate", "in each turn of the loop 'solve'");
  test::expect_message(writable.reason_against("smoth"), {"'smoth'", "did you mean 'smooth'?"});
  test::expect_message(writable.reason_against("other"), {"'other'", "there are smooth"});
}

}  // namespace
}  // namespace tessera::app
