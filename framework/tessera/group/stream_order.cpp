// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/stream_order.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "tessera/group/program_plan.hpp"

namespace tessera::group {
namespace {

/// Returns the turns for rounds of so many seconds. `starts` are those of the tasks, which begin in `order`.
std::vector<StreamTurn> turns_in_rounds(const std::vector<double>& starts, const std::vector<int>& order,
                                        double seconds) {
  std::vector<StreamTurn> turns(starts.size());
  std::vector<double> rests(starts.size());
  for (std::size_t task = 0; task < starts.size(); ++task) {
    turns[task].round = static_cast<int>(std::floor(starts[task] / seconds));
    rests[task] = starts[task] - turns[task].round * seconds;
  }
  std::vector<int> by_rest = order;
  std::ranges::stable_sort(by_rest, {}, [&](int task) { return rests[static_cast<std::size_t>(task)]; });
  for (std::size_t i = 0; i < by_rest.size(); ++i)
    turns[static_cast<std::size_t>(by_rest[i])].turn = static_cast<int>(i);
  return turns;
}

/// Returns the most items for which a rank needs memory: those that it has begun and not yet ended, or whose
/// messages wait for the tasks that read them, and one more.
int most_slots(const Program& program, const std::vector<TaskGroup>& groups,
               const std::vector<StreamTurn>& turns) {
  std::vector<StreamTurn> until = turns;
  const auto number = [](int task) { return static_cast<std::size_t>(task); };
  for (const ProgramArray& array : program.arrays())
    for (const Port& use : array.uses)
      if (!array.is_input())
        until[number(array.producer.task)] =
            std::max(until[number(array.producer.task)], turns[number(use.task)]);
  std::map<int, std::pair<StreamTurn, StreamTurn>> ends;
  for (const TaskGroup& group : groups)
    for (const int rank : group.ranks) {
      const StreamTurn &first = turns[number(group.task)], &last = until[number(group.task)];
      const auto [found, is_new] = ends.try_emplace(rank, first, last);
      found->second = {std::min(found->second.first, first), std::max(found->second.second, last)};
    }
  int most = 1;
  for (const auto& [rank, of_rank] : ends)
    most = std::max(most, items_between(of_rank.first, of_rank.second) + 1);
  return most;
}

}  // namespace

StreamOrder stream_order(const Program& program, const GroupSchedule& schedule, int window) {
  const std::vector<TaskGroup> groups = groups_of(program, schedule);
  std::vector<int> order;
  for (const TaskGroup& group : groups) order.push_back(group.task);
  std::vector<double> starts(program.tasks().size());
  for (const ScheduledTask& task : schedule.tasks) starts[static_cast<std::size_t>(task.task)] = task.start;
  const double last = *std::ranges::max_element(starts);
  // Rounds that are much shorter than the whole would only let ranks get far ahead.
  for (double seconds = std::max(schedule.period, last / 1024); schedule.period > 0 && seconds <= last;
       seconds *= 1.125) {
    std::vector<StreamTurn> turns = turns_in_rounds(starts, order, seconds);
    // With less memory than that, a rank would wait for others that may wait for it.
    if (most_slots(program, groups, turns) <= window) return {std::move(turns), window};
  }
  std::vector<StreamTurn> turns(starts.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    turns[static_cast<std::size_t>(order[i])] = {0, static_cast<int>(i)};
  return {std::move(turns), window};
}

int items_between(const StreamTurn& first, const StreamTurn& last) {
  return last.round - first.round + (last.turn >= first.turn ? 1 : 0);
}

}  // namespace tessera::group
