// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/records.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "tessera/app/file_patterns.hpp"
#include "tessera/domain/json.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {

Records::Records(MPI_Comm communicator, const Options& options, const std::string& history_path,
                 const std::vector<std::string>& taken)
    : communicator_(communicator),
      prints_report_(options.report == "-"),
      report_{prints_report_ ? "" : options.report},
      trace_{options.trace},
      history_{history_path} {
  collectively(communicator, [&] {
    int rank = 0;
    MPI_Comm_rank(communicator, &rank);
    // The many files of a series are looked up only if there is something to compare them with.
    if (rank == 0 && !paths().empty())
      check_names(taken, {{"command line: --report", report_.path},
                          {"command line: --trace", trace_.path},
                          {"output.history:", history_.path}});
  });
  for (File* const one : {&report_, &trace_, &history_})
    if (!one->path.empty()) one->file.emplace(communicator, one->path);
}

RecorderOptions Records::recorder_options() const {
  return {.fence = wants_report() || wants_trace(), .events = wants_trace()};
}

void Records::write(const Report& report, const TraceText& trace, const Recorder& recorder,
                    const LoopRecorder* loops) {
  int rank = 0;
  MPI_Comm_rank(communicator_, &rank);
  const bool writes = rank == 0;
  if (history_.file) history_.file->write(writes ? loops->history_csv() : std::string());
  if (trace_.file) {
    const auto events = gather(communicator_, recorder.events());
    trace_.file->write(writes ? trace(events) : std::string());
  }
  if (report_.file) report_.file->write(writes ? report.text_for(report_.path) : std::string());
  if (prints_report_ && writes) {
    fmt::print("{}", report.text());
    std::fflush(stdout);
  }
}

std::vector<std::string> Records::paths() const {
  std::vector<std::string> paths;
  for (const File* const one : {&report_, &trace_, &history_})
    if (!one->path.empty()) paths.push_back(one->path);
  return paths;
}

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
