// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tessera/cost/estimate.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

// Plans whose estimates are small sums.
namespace tessera::test {

inline const Box image{{0, 64}, {0, 32}};
constexpr double points = 64 * 32;

struct Twice {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y) * 2;
  }
};
/// The sum of three points below each other.
struct Column {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y - 1) + in(x, y) + in(x, y + 1);
  }
};

/// An image of float, and one stage `out` of it.
template <class Body>
Pipeline one_stage(Body body, Boundary boundary = Boundary::none) {
  Pipeline pipeline;
  pipeline.output(pipeline.stage<float>("out", body, pipeline.input<float, 2>("in", image, boundary)), image);
  return pipeline;
}

/// A node of 4 cores with round numbers. Nothing but memory takes time.
inline cost::MachineDescription memory_only() {
  cost::MachineDescription machine;
  machine.cores = machine.threads = 4;
  machine.memory = {1e9, 2e9};
  machine.last_cache = {4e9, 8e9};
  machine.near_cache_thread = 1e15;
  machine.arithmetic = {1e15, 4e15};
  return machine;
}

inline Plan plan_of(const Algorithm& pipeline, int threads = 1, int ranks = 1, int rank = 0,
                    Overlap overlap = Overlap::off) {
  Schedule schedule;
  schedule.grid = {{1, 0}};
  schedule.overlap = overlap;
  Target target;
  target.threads = threads;
  target.device = false;
  return make_plan(pipeline, schedule, target, ranks, rank);
}

/// The only step of a plan with this label.
inline cost::StepEstimate step_of(const Algorithm& pipeline, const Plan& plan,
                                  const cost::RankEstimate& estimate, std::string_view label) {
  cost::StepEstimate found;
  int count = 0;
  walk(plan.root, [&](const PlanNode& node) {
    if (!is_step(node) || step_label(pipeline, node) != label) return;
    ++count;
    for (const cost::StepEstimate& step : estimate.steps)
      if (step.node == node.id) found = step;
  });
  EXPECT_EQ(count, 1) << label;
  return found;
}

}  // namespace tessera::test
