// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/graph_report.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tessera/app/detail/transfers.hpp"
#include "tessera/app/detail/version.hpp"
#include "tessera/app/file_names.hpp"
#include "tessera/deck/print.hpp"
#include "tessera/domain/json.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// The numbers of one task on one rank.
struct TaskNumbers {
  /// The number of calls, and of those after which the item was left out.
  std::int64_t calls = 0, left_out = 0;
  double busy = 0, wait_input = 0, wait_pool = 0, wait_order = 0, wait_place = 0;
};

std::vector<TaskNumbers> numbers_of(const graph::Report& report) {
  std::vector<TaskNumbers> numbers;
  for (const graph::TaskReport& task : report.tasks)
    numbers.push_back({task.calls, std::ranges::count(report.skipped, task.name, &graph::SkippedItem::task),
                       task.busy, task.wait_input, task.wait_pool, task.wait_order, task.wait_place});
  return numbers;
}

/// Appends the calls of all ranks in the format of Chrome's trace viewer, which Perfetto also reads.
void add_events(std::string& text, const std::vector<graph::TaskReport>& tasks,
                const std::vector<std::vector<graph::TracedCall>>& calls_by_rank) {
  for (std::size_t rank = 0; rank < calls_by_rank.size(); ++rank)
    for (const graph::TracedCall& call : calls_by_rank[rank]) {
      const Json event = Json::Object{{"name", tasks[static_cast<std::size_t>(call.task)].name},
                                      {"cat", "task"},
                                      {"ph", "X"},
                                      {"pid", rank},
                                      {"tid", call.thread},
                                      {"ts", static_cast<double>(call.begin) * 1e-3},
                                      {"dur", static_cast<double>(call.end - call.begin) * 1e-3},
                                      {"args", Json::Object{{"item", call.item}}}};
      text.append(text.ends_with('[') ? "\n" : ",\n").append(to_text(event));
    }
}

}  // namespace

std::int64_t add_graph(Report& full, MPI_Comm communicator, const graph::Report& report,
                       const std::string& counted) {
  const auto numbers_by_rank = gather(communicator, numbers_of(report));
  if (numbers_by_rank.empty()) return 0;  // on other ranks than 0
  std::int64_t taken = 0;
  for (std::size_t task = 0; task < report.tasks.size(); ++task) {
    TaskNumbers sum;
    for (const std::vector<TaskNumbers>& numbers : numbers_by_rank) {
      const TaskNumbers& one = numbers[task];
      sum = {sum.calls + one.calls,           sum.left_out + one.left_out,   sum.busy + one.busy,
             sum.wait_input + one.wait_input, sum.wait_pool + one.wait_pool, sum.wait_order + one.wait_order,
             sum.wait_place + one.wait_place};
    }
    if (report.tasks[task].name == counted) taken = sum.calls - sum.left_out;
    full.add_row("tasks", {{"name", report.tasks[task].name},
                           {"kind", report.tasks[task].kind},
                           {"calls", sum.calls},
                           {"busy_s", sum.busy},
                           {"wait_input_s", sum.wait_input},
                           {"wait_pool_s", sum.wait_pool},
                           {"wait_order_s", sum.wait_order},
                           {"wait_place_s", sum.wait_place}});
  }
  for (const graph::PoolReport& pool : report.pools)
    full.add_row("pools", {{"name", pool.name},
                           {"count", std::int64_t(pool.count)},
                           {"high_water", std::int64_t(pool.high_water)}});
  return taken;
}

Report report_of_run(const Session& session, const std::string& program, int workers,
                     const deck::Deck& deck) {
  Report report;
  report.add("run", {{"program", program},
                     {"version", version()},
                     {"ranks", std::int64_t(session.rank_count())},
                     {"workers", std::int64_t(workers)},
                     {"deck", deck::print(deck)}});
  return report;
}

GraphRecords::GraphRecords(Session& session, const Options& options, const std::vector<std::string>& taken)
    : session_(session), options_(options), prints_report_(options.report == "-") {
  collectively(session.communicator(), [&] {
    const std::string report = prints_report_ ? "" : options.report;
    // A series has many files, which are looked up only if there is something to compare them with.
    if (session.rank() == 0 && !(report.empty() && options.trace.empty()))
      check_names(taken, {{"command line: --report", report}, {"command line: --trace", options.trace}});
  });
  if (!options.report.empty() && !prints_report_)
    report_file_.emplace(session.communicator(), options.report);
  if (!options.trace.empty()) trace_file_.emplace(session.communicator(), options.trace);
}

void GraphRecords::write(const Report& full, const std::vector<graph::Report>& reports) {
  if (trace_file_) {
    std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
    for (const graph::Report& report : reports)
      add_events(text, report.tasks, gather(session_.communicator(), report.trace));
    trace_file_->write(text + "\n]}\n");
  }
  if (report_file_)
    report_file_->write(std::filesystem::path(options_.report).extension() == ".json" ? full.json()
                                                                                      : full.text());
  if (prints_report_) session_.print(full.text());
}

}  // namespace tessera::app
