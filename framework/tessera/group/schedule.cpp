// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/schedule.hpp"

#include <algorithm>
#include <tuple>

namespace tessera::group {

void put_in_order(GroupSchedule& schedule) {
  std::ranges::sort(schedule.tasks, [](const ScheduledTask& a, const ScheduledTask& b) {
    return std::tie(a.start, a.task) < std::tie(b.start, b.task);
  });
  schedule.makespan = 0;
  for (const ScheduledTask& task : schedule.tasks)
    schedule.makespan = std::max(schedule.makespan, task.finish);
}

}  // namespace tessera::group
