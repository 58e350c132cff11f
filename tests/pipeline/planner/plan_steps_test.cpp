// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/detail/plan_steps.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace {

using namespace tessera;

/// The kinds of the nodes, with the numbers of buffers, and the children of loops in brackets.
std::string text_of(const std::vector<PlanNode>& nodes) {
  std::string text;
  for (const PlanNode& node : nodes) {
    text += (text.empty() ? "" : " ") + step_kind(node);
    if (const auto* allocate = std::get_if<plan::Allocate>(&node.step))
      text += std::to_string(allocate->buffer);
    if (const auto* free = std::get_if<plan::Free>(&node.step)) text += std::to_string(free->buffer);
    if (const auto* children = children_of(node)) text.append("[").append(text_of(*children)).append("]");
  }
  return text;
}

TEST(PlanSteps, BuffersAreInUseFromTheirFirstStepToTheirLast) {
  PlanSteps steps;
  steps.add_buffer();
  steps.add_buffer();
  steps.use(0, steps.add(plan::Compute{}));
  const int reduce = steps.add(plan::Reduce{});
  steps.use(0, reduce);
  steps.use(1, reduce);
  steps.settle_lifetimes();
  EXPECT_EQ(text_of(steps.take_nodes()), "allocate0 compute allocate1 reduce free0 free1");
}

TEST(PlanSteps, WhatIsUsedBeforeTheFirstStepIsAllocatedByNobodyHere) {
  PlanSteps steps;
  steps.add_buffer();
  steps.use_before(0);
  steps.use(0, steps.add(plan::Compute{}));
  steps.add(plan::Reduce{});
  steps.settle_lifetimes();
  EXPECT_EQ(text_of(steps.take_nodes()), "compute free0 reduce");
}

TEST(PlanSteps, WhatIsUsedAfterTheLastStepIsFreedByNobodyHere) {
  PlanSteps steps;
  steps.add_buffer();
  steps.use(0, steps.add(plan::Compute{}));
  steps.use_after(0);
  steps.settle_lifetimes();
  EXPECT_EQ(text_of(steps.take_nodes()), "allocate0 compute");
}

TEST(PlanSteps, WhatALoopAndAStepBeforeItUseIsInUseThroughoutTheLoop) {
  PlanSteps steps;
  for (int buffer = 0; buffer < 2; ++buffer) steps.add_buffer();
  steps.use(0, steps.add(plan::Compute{}));
  steps.begin_loop({});
  const int inner = steps.add(plan::Compute{});
  steps.use(0, inner);
  steps.use(1, inner);
  steps.add(plan::Swap{});
  steps.end_loop();
  steps.settle_lifetimes();
  EXPECT_EQ(text_of(steps.take_nodes()), "allocate0 compute repeat[allocate1 compute free1 swap] free0");
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
  steps.use(0, steps.add(plan::Compute{}));
  steps.use(1, steps.add(plan::Reduce{}));
  steps.unite({0, 1, 2});
  steps.settle_lifetimes();
  EXPECT_EQ(text_of(steps.take_nodes()), "allocate0 allocate1 allocate2 compute reduce free0 free1 free2");
}

}  // namespace
