// SPDX-License-Identifier: BSD-3-Clause
// What is computed in inner tiles, in windows and once for each tile; what plans and messages say of it.
#include <gtest/gtest.h>

#include "messages.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/plan_sample.hpp"
#include "pipeline/planner/samples.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/plan_work.hpp"
#include "tessera/pipeline/plan/tiles.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::expect_message;
using test::Point;

const Box image{{0, 40}, {0, 24}};

/// A kernel that counts how often each point is computed.
class Counting final : public StageKernel {
 public:
  Counting(std::shared_ptr<const StageKernel> kernel, test::WholeArray<int>& counts)
      : kernel_(std::move(kernel)), counts_(&counts) {}
  void required(const Box& box, Box* needs) const override { kernel_->required(box, needs); }
  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor monitor) const override {
    test::for_each_point(box, [this](const Point& p) { ++counts_->at(p); });
    kernel_->region(inputs, outputs, box, monitor);
  }
  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override {
    kernel_->launch(execution, inputs, outputs, box);
  }

 private:
  std::shared_ptr<const StageKernel> kernel_;
  test::WholeArray<int>* counts_;
};

/// An input and a chain of sums along y: arrays 0, 1, 2 and 3. The last one is the output.
Pipeline three_sums() {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", image, Boundary::clamp);
  const auto a = pipeline.stage<float>("a", test::SumAlongY(), input);
  const auto b = pipeline.stage<float>("b", test::SumAlongY(), a);
  pipeline.output(pipeline.stage<float>("c", test::SumAlongY(), b), image);
  return pipeline;
}

Schedule chain_schedule(Placement a, Placement b, const TileSize& tile, const TileSize& inner) {
  Schedule schedule;
  schedule.stages["a"].placement = a;
  schedule.stages["b"].placement = b;
  schedule.stages["c"].tile = tile;
  schedule.stages["c"].inner = inner;
  return schedule;
}

Schedule sums_schedule(Placement placement, const TileSize& tile, const TileSize& inner) {
  Schedule schedule;
  schedule.stages["horizontal"].placement = placement;
  schedule.stages["vertical"].tile = tile;
  schedule.stages["vertical"].inner = inner;
  return schedule;
}

plan::Compute& compute_step(Plan& plan) {
  plan::Compute* found = nullptr;
  walk(plan.root, [&](const PlanNode& node) {
    if (const auto* step = std::get_if<plan::Compute>(&node.step)) found = const_cast<plan::Compute*>(step);
  });
  return *found;
}

/// Runs the chain on one rank with 1 thread and returns how often each point of array `counted` was computed.
test::WholeArray<int> evaluations(const Schedule& schedule, ArrayId counted) {
  test::WholeArray<int> counts(Box{{0, 40}, {-3, 27}});
  const Pipeline chain = three_sums();
  IdVector<ArrayId, ArrayDeclaration> arrays = chain.arrays();
  auto& kernel = arrays[counted].kernel;
  kernel = std::make_shared<Counting>(kernel, counts);
  const Algorithm pipeline(std::move(arrays), {}, {});
  test::WholeArray<float> pixels(image);
  test::ArraySource<float> source(pixels);
  test::ArraySink<float> sink(image);
  Rehearsal(pipeline, make_plans(pipeline, schedule, {}, 1)).run({{{"input", &source}}, {{"c", &sink}}});
  return counts;
}

/// Returns how often the points of each row were computed, which is the same along the row.
std::vector<int> of_rows(const test::WholeArray<int>& counts) {
  std::vector<int> rows;
  for (std::int64_t y = counts.box[1].begin; y < counts.box[1].end; ++y) {
    rows.push_back(counts.at({{0, y, 0, 0}}));
    for (std::int64_t x = 0; x < 40; ++x) EXPECT_EQ(counts.at({{x, y, 0, 0}}), rows.back()) << x << ", " << y;
  }
  return rows;
}

TEST(Windows, EachRowIsComputedOnceInAColumnOfInnerTiles) {
  const Schedule schedule = chain_schedule(Placement::window, Placement::window, {40, 24}, {40, 4});
  std::vector<int> rows(30, 1);
  for (const std::size_t y : {0U, 29U}) rows[y] = 0;
  EXPECT_EQ(of_rows(evaluations(schedule, ArrayId{1})), rows);
  for (const std::size_t y : {1U, 28U}) rows[y] = 0;
  EXPECT_EQ(of_rows(evaluations(schedule, ArrayId{2})), rows);
}

TEST(Windows, WithoutThemRowsAreComputedInEachInnerTile) {
  const Schedule schedule = chain_schedule(Placement::tile, Placement::tile, {40, 24}, {40, 12});
  std::vector<int> rows(30, 1);
  for (const std::size_t y : {0U, 29U}) rows[y] = 0;
  // Inner tiles of the rows 0 to 11 and 12 to 23 need a in the rows -2 to 13 and 10 to 25.
  for (std::size_t y = 13; y < 17; ++y) rows[y] = 2;
  EXPECT_EQ(of_rows(evaluations(schedule, ArrayId{1})), rows);
}

TEST(Windows, TilesBeginAnew) {
  const Schedule schedule = chain_schedule(Placement::window, Placement::window, {40, 12}, {40, 3});
  std::vector<int> rows(30, 1);
  for (const std::size_t y : {0U, 29U}) rows[y] = 0;
  for (std::size_t y = 13; y < 17; ++y) rows[y] = 2;
  EXPECT_EQ(of_rows(evaluations(schedule, ArrayId{1})), rows);
}

TEST(Windows, OuterTilesAreComputedOnceForAllInnerTiles) {
  const Schedule schedule = chain_schedule(Placement::outer_tile, Placement::tile, {40, 24}, {5, 12});
  std::vector<int> rows(30, 1);
  for (const std::size_t y : {0U, 29U}) rows[y] = 0;
  EXPECT_EQ(of_rows(evaluations(schedule, ArrayId{1})), rows);
  rows[1] = rows[28] = 0;
  rows[14] = rows[15] = 2;
  EXPECT_EQ(of_rows(evaluations(schedule, ArrayId{2})), rows);
}

TEST(Windows, PlansCountTheirPoints) {
  const Pipeline pipeline = test::two_sums(image);
  const auto computed = [&](Placement placement, const TileSize& inner) {
    const Plan plan = make_plan(pipeline, sums_schedule(placement, {20, 12}, inner), {}, 1, 0);
    std::int64_t work = 0;
    walk(plan.root, [&](const PlanNode& node) {
      if (std::holds_alternative<plan::Compute>(node.step)) work += work_of(pipeline, node).points;
    });
    EXPECT_EQ(work, plan.stages[ArrayId{1}].computed_points + image.size());
    // Rows -1 and 24 are computed, too.
    EXPECT_EQ(plan.stages[ArrayId{1}].redundant_points, plan.stages[ArrayId{1}].computed_points - 40 * 26);
    return plan.stages[ArrayId{1}].computed_points;
  };
  EXPECT_EQ(computed(Placement::tile, {}), 4 * 20 * 14);
  EXPECT_EQ(computed(Placement::tile, {20, 4}), 4 * 3 * 20 * 6);
  EXPECT_EQ(computed(Placement::window, {20, 4}), 4 * 20 * 14);
  EXPECT_EQ(computed(Placement::outer_tile, {20, 4}), 4 * 20 * 14);
}

TEST(Windows, HaveMemoryForMoreRowsThanOneInnerTileNeeds) {
  const Pipeline pipeline = test::two_sums(image);
  Plan plan = make_plan(pipeline, sums_schedule(Placement::window, {40, 24}, {40, 4}), {}, 1, 0);
  const plan::Compute& step = compute_step(plan);
  ASSERT_EQ(step.scratch.size(), 1U);
  EXPECT_EQ(step.scratch[0].rows, 12);
  EXPECT_EQ(step.scratch_bytes, aligned_bytes(40 * 12 * 4));
  EXPECT_EQ(step.placements, std::vector<Placement>{Placement::window});
  EXPECT_EQ(step.inner, (TileSize{40, 4}));
}

TEST(Windows, AnInnerTileIsNeverLargerThanATile) {
  const Pipeline pipeline = test::two_sums(image);
  Plan plan = make_plan(pipeline, sums_schedule(Placement::tile, {16, 8}, {1000, 2}), {}, 1, 0);
  EXPECT_EQ(compute_step(plan).inner, (TileSize{16, 2}));
}

TEST(Windows, InnerTilesNeedOtherStagesInTheTiles) {
  const Pipeline pipeline = test::two_sums(image);
  Plan plan = make_plan(pipeline, sums_schedule(Placement::distributed, {16, 8}, {16, 2}), {}, 1, 0);
  EXPECT_TRUE(compute_step(plan).inner.empty());
}

TEST(Windows, AreTilesOnADevice) {
  const Pipeline pipeline = test::two_sums(image);
  for (const Placement placement : {Placement::window, Placement::outer_tile}) {
    const Plan plan = make_plan(pipeline, sums_schedule(placement, {16, 8}, {16, 2}), {1, true}, 1, 0);
    EXPECT_EQ(plan.stages[ArrayId{1}].placement, Placement::rank);
  }
}

/// The line of the compute node in the text of a plan.
std::string explained(const Schedule& schedule) {
  const Pipeline pipeline = test::two_sums(image);
  const std::string text = explain(pipeline, make_plan(pipeline, schedule, {}, 1, 0));
  const std::size_t begin = text.find("compute vertical");
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Windows, AreExplained) {
  expect_message(explained(sums_schedule(Placement::window, {20, 12}, {20, 4})),
                 {"4 tiles", "in windows horizontal: 80 points", "400 without", "960 bytes"});
  expect_message(explained(sums_schedule(Placement::outer_tile, {40, 24}, {5, 4})),
                 {"48 inner tiles", "once for each tile horizontal", "4.1 KiB"});
  expect_message(explained(sums_schedule(Placement::tile, {20, 12}, {20, 4})),
                 {"4 tiles", "12 inner tiles", "512 bytes"});
}

/// The key and the message of the error that a schedule leads to; "" if there is none.
std::pair<std::string, std::string> blamed(const Pipeline& pipeline, const Schedule& schedule) {
  try {
    make_plan(pipeline, schedule, {}, 1, 0);
  } catch (const ScheduleError& error) {
    return {error.key, error.what()};
  }
  return {};
}

TEST(Windows, OuterTilesReadNothingThatIsComputedLater) {
  for (const Placement a : {Placement::tile, Placement::window}) {
    const auto [key, message] = blamed(three_sums(), chain_schedule(a, Placement::outer_tile, {}, {}));
    EXPECT_EQ(key, "schedule.b.compute");
    expect_message(message, {"'b'", "computed later", "inner tiles", std::string(name_of(a))});
  }
}

TEST(Windows, InnerTilesThatAreNone) {
  const Pipeline pipeline = test::two_sums({{0, 3000}, {0, 3000}});
  const auto expect_error = [&](const TileSize& inner, const std::vector<std::string>& words) {
    const auto [key, message] = blamed(pipeline, sums_schedule(Placement::window, {3000, 3000}, inner));
    EXPECT_EQ(key, "schedule.vertical.inner");
    expect_message(message, words);
  };
  expect_error({4, 4, 4}, {"'vertical'", "3 entries", "leave some"});
  expect_error({4, 0}, {"tile of 0 points", "every entry"});
  expect_error({1, 1}, {"so small", "9000000", "use larger"});
}

}  // namespace
