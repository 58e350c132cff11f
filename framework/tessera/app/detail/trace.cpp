// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/trace.hpp"

#include <fmt/format.h>

#include "tessera/domain/json.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/step_names.hpp"

namespace tessera::app {
namespace {

Json event_json(const StepRecorder::Event& event, const StepName& step, std::size_t rank) {
  constexpr double microseconds = 1e6;
  return Json::Object{{"name", step.name},
                      {"cat", step.kind},
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

std::string trace_text(StepNames steps, const std::vector<std::vector<StepRecorder::Event>>& events_by_rank) {
  for (const Phase phase : all_phases) steps[node_of(phase)] = {name_of(phase), "phase"};
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  for (std::size_t rank = 0; rank < events_by_rank.size(); ++rank) {
    text.append(rank == 0 ? "\n" : ",\n").append(to_text(process_name(rank)));
    for (const StepRecorder::Event& event : events_by_rank[rank]) {
      const auto step = steps.find(event.node);
      if (step == steps.end()) continue;
      text.append(",\n").append(to_text(event_json(event, step->second, rank)));
    }
  }
  return text + "\n]}\n";
}

std::string trace_text(const Algorithm& pipeline, const Plan& any_plan,
                       const std::vector<std::vector<StepRecorder::Event>>& events_by_rank) {
  StepNames steps;
  walk(any_plan.root, [&](const PlanNode& node) {
    if (is_step(node)) steps[node.id] = {step_label(pipeline, node), step_kind(node)};
  });
  return trace_text(std::move(steps), events_by_rank);
}

}  // namespace tessera::app
