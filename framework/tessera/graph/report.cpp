// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/json.hpp"

namespace tessera::graph {

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

}  // namespace tessera::graph
