// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/trace.hpp"

#include <fmt/format.h>

#include "tessera/domain/json.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/step_names.hpp"

namespace tessera::app {
namespace {

Json event_json(const Recorder::Event& event, const StepName& step, std::size_t rank) {
  constexpr double microseconds = 1e6;
  Json about = Json::Object{{"node", event.node}};
  if (event.item >= 0) about["item"] = event.item;
  return Json::Object{{"name", step.name},
                      {"cat", step.kind},
                      {"ph", "X"},
                      {"pid", rank},
                      {"tid", event.thread},
                      {"ts", event.begin * microseconds},
                      {"dur", (event.end - event.begin) * microseconds},
                      {"args", about}};
}

Json process_name(std::size_t rank) {
  return Json::Object{{"name", "process_name"},
                      {"ph", "M"},
                      {"pid", rank},
                      {"tid", 0},
                      {"args", Json::Object{{"name", fmt::format("rank {}", rank)}}}};
}

}  // namespace

std::string trace_text(StepNames names, const std::vector<std::vector<Recorder::Event>>& events_by_rank) {
  for (const Phase phase : all_phases) names[node_of(phase)] = {name_of(phase), "phase"};
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  for (std::size_t rank = 0; rank < events_by_rank.size(); ++rank) {
    text.append(rank == 0 ? "\n" : ",\n").append(to_text(process_name(rank)));
    for (const Recorder::Event& event : events_by_rank[rank]) {
      const auto name = names.find(event.node);
      if (name == names.end()) continue;
      text.append(",\n").append(to_text(event_json(event, name->second, rank)));
    }
  }
  return text + "\n]}\n";
}

std::string trace_text(const Algorithm& pipeline, const Plan& any_plan,
                       const std::vector<std::vector<Recorder::Event>>& events_by_rank) {
  StepNames steps;
  walk(any_plan.root, [&](const PlanNode& node) {
    if (is_step(node)) steps[node.id] = {step_label(pipeline, node), step_kind(node)};
  });
  return trace_text(std::move(steps), events_by_rank);
}

}  // namespace tessera::app
