// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/job_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/run_report.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::app {
namespace {

/// Adds rows about the tasks of a graph, with the numbers of all ranks together, and about the pools of rank
/// 0, to the report of rank 0. Collective.
void add_graph(Report& full, const Session& session, const graph::Report& report) {
  std::vector<double> numbers;
  for (const graph::TaskReport& task : report.tasks)
    numbers.insert(numbers.end(), {static_cast<double>(task.calls), task.busy, task.wait_input,
                                   task.wait_pool, task.wait_order, task.wait_place});
  std::vector<double> sums(numbers.size());
  MPI_Reduce(numbers.data(), sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, 0,
             session.communicator());
  if (session.rank() != 0) return;
  auto sum = sums.begin();
  for (const graph::TaskReport& task : report.tasks) {
    Report::Row row = {
        {"name", task.name}, {"kind", task.kind}, {"calls", static_cast<std::int64_t>(*sum++)}};
    for (const char* time : {"busy_s", "wait_input_s", "wait_pool_s", "wait_order_s", "wait_place_s"})
      row.emplace_back(time, *sum++);
    full.add_row("tasks", row);
  }
  for (const graph::PoolReport& pool : report.pools)
    full.add_row("pools", {{"name", pool.name},
                           {"count", std::int64_t(pool.count)},
                           {"high_water", std::int64_t(pool.high_water)}});
}

constexpr const char* task_kind = "task";

}  // namespace

void add_run(Report& report, const Session& session, const std::string& program, int threads,
             const deck::Deck& deck) {
  report.add("run", {{"program", program},
                     {"version", version()},
                     {"ranks", std::int64_t(session.rank_count())},
                     {"threads_per_rank", std::int64_t(threads)},
                     {"deck", deck::print(deck)}});
}

JobRun::JobRun(const Launch& launch, const deck::Deck& deck, int threads,
               const std::vector<std::string>& files)
    : launch_(launch),
      deck_(deck),
      threads_(threads),
      watchdog_seconds_(watchdog_seconds(deck)),
      progress_(launch.session.rank(), launch.options.quiet),
      records_(launch.session.communicator(), launch.options, "", joined(files, launch.deck_files)) {
  add_run(report_, launch.session, launch.program.name, threads, deck);
}

void JobRun::say_start(const char* noun) {
  say(fmt::format("{}: {} with {}", launch_.program.name, counted(launch_.session.rank_count(), "rank"),
                  counted(threads_, noun)));
}

void JobRun::begin_work() {
  recorder_.emplace(launch_.session.communicator(), records_.recorder_options(), launch_.phases);
}

int JobRun::number_of(const std::string& part, const char* kind) {
  for (const auto& [number, name] : names_)
    if (name.name == part && name.kind == kind) return number;
  const auto number = static_cast<int>(names_.size());
  names_[number] = {part, kind};
  return number;
}

void JobRun::begin(const std::string& part, std::int64_t item) {
  const int number = number_of(part, "part");
  recorder_->begin(number, item);
  part_ = &names_.at(number);
  if (watchdog_seconds_ > 0 && !watchdog_)
    watchdog_.emplace(watchdog_seconds_,
                      end_standstill(launch_.session, launch_.program.name, watchdog_seconds_,
                                     [this](int) { return part_.load()->name; }));
  if (watchdog_) watchdog_->begin(number);
}

graph::Report JobRun::run(graph::Graph& graph, graph::RunOptions options,
                          const std::function<void(graph::Run&)>& wait) {
  options.timed = records_.wants_report();
  options.traced = records_.wants_trace();
  recorder_->begin(number_of(fmt::format("graph '{}'", graph.name()), "graph"));
  watchdog_.reset();
  std::optional<CallsWatchdog> watchdog;
  if (watchdog_seconds_ > 0)
    options.observer =
        &watchdog.emplace(launch_.session, launch_.program.name, watchdog_seconds_, graph.task_names());
  graph::Run run = graph.run(options);
  wait(run);
  recorder_->end();
  graph::Report report = run.report();
  std::vector<int> numbers;
  for (const graph::TaskReport& task : report.tasks) numbers.push_back(number_of(task.name, task_kind));
  const double began = recorder_->seconds_at(report.began);
  for (const graph::TracedCall& call : report.trace)
    recorder_->add(Recorder::Event{.node = numbers[static_cast<std::size_t>(call.task)],
                                   .begin = began + static_cast<double>(call.begin) * 1e-9,
                                   .end = began + static_cast<double>(call.end) * 1e-9,
                                   .thread = call.thread,
                                   .item = call.item});
  add_graph(report_, launch_.session, report);
  return report;
}

graph::Report JobRun::run(graph::Graph& graph) {
  graph::RunOptions options = run_options(deck_, threads_);
  options.communicator = launch_.session.communicator();
  return run(graph, options);
}

graph::Report JobRun::run_alone(graph::Graph& graph) { return run(graph, run_options(deck_, threads_)); }

void JobRun::end_work() {
  watchdog_.reset();
  recorder_->end();
  launch_.phases.begin(Phase::finish);
}

void JobRun::write() {
  MPI_Barrier(launch_.session.communicator());
  recorder_->end(launch_.phases);
  StepNames parts = names_;
  std::erase_if(parts, [](const auto& part) { return part.second.kind == task_kind; });
  add_parts(report_, launch_.session.communicator(), parts, *recorder_);
  records_.write(report_, names_, recorder_->events());
}

graph::RunOptions run_options(const deck::Deck& deck, int threads) {
  return {.workers = threads, .memory = memory_limit(deck)};
}

graph::Settings graph_settings(const deck::Deck& deck, const std::vector<std::string>& tasks,
                               const std::vector<std::string>& pools) {
  graph::Settings settings;
  const auto number = [&](const std::string& key) {
    return is_given(deck, key) ? static_cast<int>(deck.get<std::int64_t>(key)) : 0;
  };
  settings.window = number("graph.window");
  for (const std::string& task : tasks) {
    graph::TaskSettings& chosen = settings.tasks[task];
    if (const int workers = number(fmt::format("graph.{}.workers", task)); workers > 0)
      chosen.workers = workers;
    const std::string key = fmt::format("graph.{}.on", task);
    const std::string on = is_given(deck, key) ? deck.text_of(key) : "";
    if (on == "threads") chosen.on = graph::Place::threads();
    if (on == "io") chosen.on = graph::Place::io();
    if (on == "kernels") chosen.on = graph::Place::kernels();
  }
  for (const std::string& pool : pools)
    if (const int count = number(fmt::format("graph.{}.count", pool)); count > 0)
      settings.pools[pool] = count;
  return settings;
}

}  // namespace tessera::app
