// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/json.hpp"
#include "tessera/graph/detail/execution.hpp"

namespace tessera::graph {

Run::Run(std::unique_ptr<detail::Execution> execution) : execution_(std::move(execution)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;

void Run::stop() { execution_->stop(); }
void Run::wait() { execution_->wait(); }
Report Run::report() const { return execution_->report(); }
bool Run::push_item(int flow, detail::ItemHold item) { return execution_->push(flow, std::move(item)); }
void Run::close_input(int flow) { execution_->close(flow); }
detail::Item* Run::pop_item(int flow) { return execution_->pop(flow); }
void Run::drop_popped(detail::Item* item) { execution_->drop_popped(item); }

std::string to_text(const Report& report) {
  std::size_t width = 4;
  for (const TaskReport& task : report.tasks) width = std::max(width, task.name.size());
  std::string text = fmt::format("{} items in {:.3f} s by {} workers, at most {} at a time\n", report.items,
                                 report.seconds, report.workers, report.most_items);
  text += fmt::format("{:<{}}  {:>10}  {:>9}  waits for: {:>9}  {:>9}  {:>9}  {:>9}\n", "task", width,
                      "calls", "busy s", "input s", "pool s", "order s", "place s");
  for (const TaskReport& task : report.tasks)
    text += fmt::format("{:<{}}  {:>10}  {:>9.3f}             {:>9.3f}  {:>9.3f}  {:>9.3f}  {:>9.3f}\n",
                        task.name, width, task.calls, task.busy, task.wait_input, task.wait_pool,
                        task.wait_order, task.wait_place);
  for (const PoolReport& pool : report.pools)
    text += fmt::format("pool {}: {} of {} buffers were in use at the same time\n", pool.name,
                        pool.high_water, pool.count);
  for (const SkippedItem& item : report.skipped)
    text += fmt::format("skipped {} in {}: {}\n", item.stamp, item.task, item.reason);
  return text;
}

std::string to_json(const Report& report) {
  Json json;
  json["items"] = report.items;
  json["most_items"] = report.most_items;
  json["workers"] = report.workers;
  json["seconds"] = report.seconds;
  json["is_stopped"] = report.is_stopped;
  Json::List tasks, pools, skipped, trace;
  for (const TaskReport& task : report.tasks)
    tasks.push_back(Json::Object{{"name", task.name},
                                 {"kind", task.kind},
                                 {"calls", task.calls},
                                 {"busy", task.busy},
                                 {"wait_input", task.wait_input},
                                 {"wait_pool", task.wait_pool},
                                 {"wait_order", task.wait_order},
                                 {"wait_place", task.wait_place}});
  for (const PoolReport& pool : report.pools)
    pools.push_back(
        Json::Object{{"name", pool.name}, {"count", pool.count}, {"high_water", pool.high_water}});
  for (const SkippedItem& item : report.skipped)
    skipped.push_back(Json::Object{
        {"task", item.task}, {"item", item.item}, {"stamp", item.stamp}, {"reason", item.reason}});
  for (const TracedCall& call : report.trace)
    trace.push_back(Json::Object{{"task", call.task},
                                 {"thread", call.thread},
                                 {"item", call.item},
                                 {"begin", call.begin},
                                 {"end", call.end}});
  json["tasks"] = tasks;
  json["pools"] = pools;
  json["skipped"] = skipped;
  json["trace"] = trace;
  return to_text(json, 1) + "\n";
}

}  // namespace tessera::graph
