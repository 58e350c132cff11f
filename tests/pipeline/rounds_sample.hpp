// SPDX-License-Identifier: BSD-3-Clause
// A loop for tests of rounds, and what plans have of it.
#pragma once

#include <algorithm>

#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/view/reductions.hpp"

namespace tessera::test::rounds {

inline const Box image{{0, 32}, {0, 24}};

/// Four neighbours, and the change.
struct Relax {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    const auto next = (u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1)) * 0.25f;
    return pack(next, next - u(x, y));
  }
};
inline Pipeline relaxing(std::int64_t maximum, Boundary boundary = Boundary::clamp) {
  Pipeline p;
  const auto u = p.input<float, 2>("u", image, boundary);
  p.repeat("relax", maximum, [&](const Pipeline::Loop& loop) {
    const auto [next, change] = p.stages<TypeList<float, float>>({"next", "change"}, Relax(), u);
    loop.watch(p.reduce("norm", MaximumNorm<float>(), change, image));
    loop.feed(next, u);
  });
  p.output(u);
  return p;
}

/// Four neighbours, less the iterate before.
struct Wave {
  template <class U, class Past, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const Past& past, Coord x, Coord y) const {
    return (u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1)) * 0.5f - past(x, y);
  }
};

inline Rounds with_rounds(const Algorithm& pipeline, const LoopSchedule& asked, const char* loop = "relax") {
  Schedule schedule;
  schedule.grid = {{1, 0}};
  schedule.loops[loop] = asked;
  return in_rounds(pipeline, schedule);
}

/// The steps of one loop, in order.
inline std::vector<const PlanNode*> steps_of(const Algorithm& pipeline, const Plan& plan,
                                             const std::string& name) {
  std::vector<const PlanNode*> steps;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* repeat = std::get_if<plan::Repeat>(&node.step);
    if (repeat == nullptr || pipeline.loops()[static_cast<std::size_t>(repeat->loop)].name != name) return;
    walk(node, [&](const PlanNode& inner) {
      if (is_step(inner)) steps.push_back(&inner);
    });
  });
  return steps;
}

template <class Step>
std::int64_t count(const std::vector<const PlanNode*>& steps) {
  return std::ranges::count_if(steps,
                               [](const PlanNode* node) { return std::holds_alternative<Step>(node->step); });
}

}  // namespace tessera::test::rounds
