// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/trace.hpp"

#include <fmt/format.h>

#include <map>

#include "tessera/domain/json.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/step_names.hpp"

namespace tessera::app {
namespace {

Json event_json(const StepRecorder::Event& event, const std::string& name, const std::string& category,
                std::size_t rank) {
  constexpr double microseconds = 1e6;
  return Json::Object{{"name", name},
                      {"cat", category},
                      {"ph", "X"},
                      {"pid", rank},
                      {"tid", 0},
                      {"ts", event.begin * microseconds},
                      {"dur", (event.end - event.begin) * microseconds},
                      {"args", Json::Object{{"node", event.node}}}};
}

Json process_name(std::size_t rank) {
  return Json::Object{{"name", "process_name"},
                      {"ph", "M"},
                      {"pid", rank},
                      {"tid", 0},
                      {"args", Json::Object{{"name", fmt::format("rank {}", rank)}}}};
}

}  // namespace

std::string trace_text(const Algorithm& pipeline, const Plan& any_plan,
                       const std::vector<std::vector<StepRecorder::Event>>& events_by_rank) {
  // The name and the kind of every phase and step, by node id.
  std::map<int, std::pair<std::string, std::string>> steps;
  for (const Phase phase : all_phases) steps[node_of(phase)] = {name_of(phase), "phase"};
  walk(any_plan.root, [&](const PlanNode& node) {
    if (is_step(node)) steps[node.id] = {step_label(pipeline, node), step_kind(node)};
  });
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  for (std::size_t rank = 0; rank < events_by_rank.size(); ++rank) {
    text.append(rank == 0 ? "\n" : ",\n").append(to_text(process_name(rank)));
    for (const StepRecorder::Event& event : events_by_rank[rank]) {
      const auto step = steps.find(event.node);
      if (step == steps.end()) continue;
      const auto& [name, kind] = step->second;
      text.append(",\n").append(to_text(event_json(event, name, kind, rank)));
    }
  }
  return text + "\n]}\n";
}

}  // namespace tessera::app
