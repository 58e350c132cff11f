// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/records.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "tessera/app/file_patterns.hpp"
#include "tessera/domain/json.hpp"
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
    // The many files of a series are looked up only if there is something to compare them with.
    if (rank_in(communicator) == 0 && !paths().empty())
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

void Records::write(const Report& report, const StepNames& names, const std::vector<Recorder::Event>& events,
                    const LoopRecorder* loops) {
  const bool writes = rank_in(communicator_) == 0;
  if (history_.file) history_.file->write(writes ? loops->history_csv() : std::string());
  if (trace_.file) {
    const auto all = gather(communicator_, events);
    trace_.file->write(writes ? trace_text(names, all) : std::string());
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

std::string trace_text(const StepNames& parts,
                       const std::vector<std::vector<Recorder::Event>>& events_by_rank) {
  const StepNames names = with_phases(parts);
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

void print_and_write(const Session& session, const std::vector<std::string>& taken,
                     const std::vector<std::pair<std::string, std::string>>& files,
                     const std::function<std::vector<std::string>()>& make) {
  check_names(taken, files);
  std::vector<std::optional<io::TextFile>> written(files.size());
  for (std::size_t i = 0; i < files.size(); ++i)
    if (const std::string& path = files[i].second; !path.empty())
      written[i].emplace(session.communicator(), path);
  std::vector<std::string> texts(1 + files.size());
  collectively(session.communicator(), [&] {
    if (session.rank() == 0) texts = make();
  });
  for (std::size_t i = 0; i < files.size(); ++i)
    if (written[i]) written[i]->write(texts[1 + i]);
  session.print(texts.front());
}

}  // namespace tessera::app
