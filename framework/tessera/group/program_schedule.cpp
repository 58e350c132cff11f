// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_schedule.hpp"

#include <algorithm>

namespace tessera::group {

TaskGraph task_graph(const Program& program, const std::vector<cost::TaskCost>& costs) {
  std::vector<Task> tasks;
  for (const ProgramTask& task : program.tasks())
    tasks.push_back({task.name, costs[tasks.size()], task.name, std::nullopt});
  std::vector<NamedEdge> edges;
  for (const ProgramArray& array : program.arrays())
    for (const Port& use : array.uses)
      if (!array.is_input())
        edges.push_back({program.task(array.producer.task).name, program.task(use.task).name, array.name,
                         array.domain.size() * array.element_bytes()});
  return {std::move(tasks), edges};
}

std::vector<TaskGroup> groups_of(const Program& program, const GroupSchedule& schedule) {
  std::vector<int> place(static_cast<std::size_t>(program.task_count()));
  const std::vector<int> order = program.order();
  for (std::size_t i = 0; i < order.size(); ++i)
    place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  std::vector<ScheduledTask> tasks = schedule.tasks;
  // Tasks that take no time may start together with tasks that they depend on.
  std::ranges::stable_sort(tasks, [&](const ScheduledTask& a, const ScheduledTask& b) {
    if (a.start != b.start) return a.start < b.start;
    return place[static_cast<std::size_t>(a.task)] < place[static_cast<std::size_t>(b.task)];
  });
  std::vector<TaskGroup> groups;
  for (ScheduledTask& task : tasks) groups.push_back({task.task, std::move(task.ranks)});
  return groups;
}

}  // namespace tessera::group
