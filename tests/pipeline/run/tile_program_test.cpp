// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/tile_loop.hpp"

#include <gtest/gtest.h>

#include "pipeline/planner/samples.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;

/// The only compute node of a plan in which `horizontal` is computed in tiles of `vertical`.
class TileProgramTest : public testing::Test {
 protected:
  TileProgramTest() {
    Schedule schedule;
    schedule.stages["horizontal"].placement = Placement::tile;
    schedule.stages["vertical"].tile = {16, 8};
    Target target;
    target.device = false;
    plan_ = make_plan(pipeline_, schedule, target, 1, 0);
    walk(plan_.root, [this](const PlanNode& node) {
      if (const auto* step = std::get_if<plan::Compute>(&node.step)) step_ = step;
    });
  }

  Pipeline pipeline_ = test::two_sums({{0, 64}, {0, 32}});
  Plan plan_;
  const plan::Compute* step_ = nullptr;
};

TEST_F(TileProgramTest, MembersReadAndWriteMemoryAndScratch) {
  ASSERT_NE(step_, nullptr);
  const TileProgram program(pipeline_, *step_);
  ASSERT_EQ(program.members.size(), 2U);
  const TileProgram::Member &horizontal = program.members[0], &vertical = program.members[1];
  EXPECT_EQ(horizontal.stage, ArrayId{1});
  EXPECT_EQ(horizontal.inputs.at(0).array, ArrayId{0});
  EXPECT_LT(horizontal.inputs.at(0).scratch, 0);
  EXPECT_EQ(horizontal.outputs.at(0).scratch, 0);
  EXPECT_EQ(vertical.stage, ArrayId{2});
  EXPECT_EQ(vertical.inputs.at(0).array, ArrayId{1});
  EXPECT_EQ(vertical.inputs.at(0).scratch, 0);
  EXPECT_LT(vertical.outputs.at(0).scratch, 0);
}

TEST_F(TileProgramTest, ScratchBelongsToTheMemberThatComputesIt) {
  const TileProgram program(pipeline_, *step_);
  EXPECT_EQ(program.scratch_member, std::vector<std::size_t>{0});
  EXPECT_EQ(program.scratch_element, std::vector<std::int64_t>{4});
  EXPECT_FALSE(program.reduces);
  EXPECT_TRUE(program.contributions.empty());
}

TEST_F(TileProgramTest, ATileNeedsItsBoxAndTheRowsAroundIt) {
  const TileProgram program(pipeline_, *step_);
  ASSERT_EQ(program.tiles.size(), 16);
  for (std::int64_t tile = 0; tile < program.tiles.size(); ++tile) {
    Box expected = program.tiles.tiles()[tile];
    --expected[1].begin;
    ++expected[1].end;
    EXPECT_EQ(program.box(tile, 0), expected);
  }
}

}  // namespace
