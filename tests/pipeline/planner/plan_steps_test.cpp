// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/detail/plan_steps.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace {

using namespace tessera;

/// The kinds of the nodes, with the children of loops in brackets.
std::string text_of(const std::vector<PlanNode>& nodes) {
  std::string text;
  for (const PlanNode& node : nodes) {
    text += (text.empty() ? "" : " ") + step_kind(node);
    if (const auto* children = children_of(node)) text.append("[").append(text_of(*children)).append("]");
  }
  return text;
}

/// The first and the last step of each buffer.
std::string uses(PlanSteps& steps) {
  std::string text;
  for (const Lifetime& lifetime : steps.settle_lifetimes())
    text += (text.empty() ? "" : " ") + std::to_string(lifetime.first) + "-" + std::to_string(lifetime.last);
  return text;
}

TEST(PlanSteps, BuffersAreInUseFromTheirFirstStepToTheirLast) {
  PlanSteps steps;
  steps.add_buffer();
  steps.add_buffer();
  steps.use(BufferId{0}, steps.add(plan::Compute{}));
  const int reduce = steps.add(plan::Reduce{});
  steps.use(BufferId{0}, reduce);
  steps.use(BufferId{1}, reduce);
  EXPECT_EQ(uses(steps), "0-1 1-1");
  EXPECT_EQ(text_of(steps.take_nodes()), "compute reduce");
}

TEST(PlanSteps, ABufferMayBeInUseBeforeTheFirstStep) {
  PlanSteps steps;
  steps.add_buffer();
  steps.use_before(BufferId{0});
  steps.use(BufferId{0}, steps.add(plan::Compute{}));
  steps.add(plan::Reduce{});
  EXPECT_EQ(uses(steps), "-1-0");
}

TEST(PlanSteps, ABufferMayBeInUseAfterTheLastStep) {
  PlanSteps steps;
  steps.add_buffer();
  steps.use(BufferId{0}, steps.add(plan::Compute{}));
  steps.use_after(BufferId{0});
  EXPECT_EQ(uses(steps), "0-1");
}

TEST(PlanSteps, WhatALoopAndAStepBeforeItUseIsInUseThroughoutTheLoop) {
  PlanSteps steps;
  for (int buffer = 0; buffer < 2; ++buffer) steps.add_buffer();
  steps.use(BufferId{0}, steps.add(plan::Compute{}));
  steps.begin_loop({});
  const int inner = steps.add(plan::Compute{});
  steps.use(BufferId{0}, inner);
  steps.use(BufferId{1}, inner);
  steps.add(plan::Swap{});
  steps.end_loop();
  EXPECT_EQ(uses(steps), "0-4 2-2");
  EXPECT_EQ(text_of(steps.take_nodes()), "compute repeat[compute swap]");
  EXPECT_EQ(steps.node_of(2), 2);
  EXPECT_EQ(steps.node_of(4), 3);
}

TEST(PlanSteps, LoopsStandInLoops) {
  PlanSteps steps;
  steps.begin_loop({});
  steps.begin_loop({});
  steps.add(plan::Compute{});
  steps.end_loop();
  steps.add(plan::Reduce{});
  steps.end_loop();
  steps.settle_lifetimes();
  EXPECT_EQ(text_of(steps.take_nodes()), "repeat[repeat[compute] reduce]");
}

TEST(PlanSteps, BuffersThatChangePlacesAreInUseAsLongAsOneIs) {
  PlanSteps steps;
  for (int buffer = 0; buffer < 3; ++buffer) steps.add_buffer();
  steps.use(BufferId{0}, steps.add(plan::Compute{}));
  steps.use(BufferId{1}, steps.add(plan::Reduce{}));
  steps.unite({BufferId{0}, BufferId{1}, BufferId{2}});
  EXPECT_EQ(uses(steps), "0-1 0-1 0-1");
}

}  // namespace
