// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/app/detail/version.hpp"
#include "tessera/deck/print.hpp"
#include "tessera/domain/json.hpp"

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

/// Returns the texts of the lines that all ranks pass, in the order of the series, on rank 0.
std::vector<std::string> gather_lines(MPI_Comm communicator, const std::vector<ImageLine>& mine) {
  struct Head {
    std::int64_t index, size;
  };
  std::vector<Head> heads;
  std::vector<char> text;
  for (const ImageLine& line : mine) {
    heads.push_back({line.index, std::ssize(line.text)});
    text.insert(text.end(), line.text.begin(), line.text.end());
  }
  const auto heads_by_rank = gather(communicator, heads);
  const auto texts = gather(communicator, text);
  std::vector<ImageLine> lines;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    auto at = texts[rank].begin();
    for (const Head& head : heads_by_rank[rank]) {
      lines.push_back({head.index, std::string(at, at + head.size)});
      at += head.size;
    }
  }
  std::ranges::stable_sort(lines, {}, &ImageLine::index);
  std::vector<std::string> sorted;
  for (const ImageLine& line : lines) sorted.push_back(line.text);
  return sorted;
}

/// Adds the table of the tasks. Returns the number of images that were written.
std::int64_t add_tasks(Report& full, const graph::Report& report,
                       const std::vector<std::vector<TaskNumbers>>& numbers_by_rank) {
  std::int64_t written = 0;
  for (std::size_t task = 0; task < report.tasks.size(); ++task) {
    TaskNumbers sum;
    for (const std::vector<TaskNumbers>& numbers : numbers_by_rank) {
      const TaskNumbers& one = numbers[task];
      sum = {sum.calls + one.calls,           sum.left_out + one.left_out,   sum.busy + one.busy,
             sum.wait_input + one.wait_input, sum.wait_pool + one.wait_pool, sum.wait_order + one.wait_order,
             sum.wait_place + one.wait_place};
    }
    if (report.tasks[task].name == "write") written = sum.calls - sum.left_out;
    full.add_row("tasks", {{"name", report.tasks[task].name},
                           {"kind", report.tasks[task].kind},
                           {"calls", sum.calls},
                           {"busy_s", sum.busy},
                           {"wait_input_s", sum.wait_input},
                           {"wait_pool_s", sum.wait_pool},
                           {"wait_order_s", sum.wait_order},
                           {"wait_place_s", sum.wait_place}});
  }
  return written;
}

/// Returns the calls of all ranks in the format of Chrome's trace viewer, which Perfetto also reads.
std::string trace_of(const std::vector<graph::TaskReport>& tasks,
                     const std::vector<std::vector<graph::TracedCall>>& calls_by_rank) {
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  bool is_first = true;
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
      text.append(std::exchange(is_first, false) ? "\n" : ",\n").append(to_text(event));
    }
  return text + "\n]}\n";
}

}  // namespace

SeriesReport::SeriesReport(Session& session, const Options& options, const PipelineApplication& application,
                           const deck::Deck& deck)
    : session_(session),
      options_(options),
      application_(application),
      deck_(deck),
      prints_report_(options.report == "-") {
  if (!options.report.empty() && !prints_report_)
    report_file_.emplace(session.communicator(), options.report);
  if (!options.trace.empty()) trace_file_.emplace(session.communicator(), options.trace);
}

SeriesOutcome SeriesReport::write(const graph::Report& report, const SeriesLines& lines) {
  SeriesOutcome outcome{.seconds = report.seconds,
                        .left_out = gather_lines(session_.communicator(), lines.left_out),
                        .not_converged = gather_lines(session_.communicator(), lines.not_converged)};
  const auto numbers_by_rank = gather(session_.communicator(), numbers_of(report));
  const auto calls_by_rank = gather(session_.communicator(), report.trace);
  if (session_.rank() != 0) {
    if (trace_file_) trace_file_->write("");
    if (report_file_) report_file_->write("");
    return outcome;
  }
  Report full;
  full.add("run", {{"program", application_.program},
                   {"version", version()},
                   {"ranks", std::int64_t(session_.rank_count())},
                   {"workers", std::int64_t(report.workers)},
                   {"deck", deck::print(deck_)}});
  outcome.written = add_tasks(full, report, numbers_by_rank);
  for (const graph::PoolReport& pool : report.pools)
    full.add_row("pools", {{"name", pool.name},
                           {"count", std::int64_t(pool.count)},
                           {"high_water", std::int64_t(pool.high_water)}});
  full.add("series", {{"written", outcome.written},
                      {"left_out", std::int64_t(std::ssize(outcome.left_out))},
                      {"not_converged", std::int64_t(std::ssize(outcome.not_converged))},
                      {"seconds", outcome.seconds},
                      {"per_second", static_cast<double>(outcome.written) / outcome.seconds},
                      {"most_at_a_time", report.most_items}});
  for (const std::string& line : outcome.left_out) full.add_row("left_out", {{"file_and_reason", line}});
  for (const std::string& line : outcome.not_converged)
    full.add_row("not_converged", {{"image_and_loop", line}});
  if (trace_file_) trace_file_->write(trace_of(report.tasks, calls_by_rank));
  if (report_file_)
    report_file_->write(std::filesystem::path(options_.report).extension() == ".json" ? full.json()
                                                                                      : full.text());
  if (prints_report_) session_.print(full.text());
  return outcome;
}

}  // namespace tessera::app
