// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/trace.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tessera/pipeline/explain.hpp"

namespace tessera::app {
namespace {

using Json = nlohmann::ordered_json;

Json process_name(std::size_t rank) {
  return {{"name", "process_name"},
          {"ph", "M"},
          {"pid", rank},
          {"tid", 0},
          {"args", {{"name", fmt::format("rank {}", rank)}}}};
}

}  // namespace

std::string trace_text(const Pipeline& pipeline, const Plan& any_plan,
                       const std::vector<std::vector<StepRecorder::Event>>& events_by_rank) {
  std::map<int, const PlanNode*> steps;
  walk(any_plan.root, [&](const PlanNode& node) {
    if (is_step(node)) steps[node.id] = &node;
  });
  constexpr double microseconds = 1e6;
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  for (std::size_t rank = 0; rank < events_by_rank.size(); ++rank) {
    text.append(rank == 0 ? "\n" : ",\n").append(process_name(rank).dump());
    for (const StepRecorder::Event& event : events_by_rank[rank]) {
      const auto step = steps.find(event.node);
      if (step == steps.end()) continue;
      const Json json = {{"name", step_label(pipeline, *step->second)},
                         {"cat", step_kind(*step->second)},
                         {"ph", "X"},
                         {"pid", rank},
                         {"tid", 0},
                         {"ts", event.begin * microseconds},
                         {"dur", (event.end - event.begin) * microseconds},
                         {"args", {{"node", event.node}}}};
      text.append(",\n").append(json.dump());
    }
  }
  return text + "\n]}\n";
}

}  // namespace tessera::app
