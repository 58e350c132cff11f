// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/group/detail/array_routes.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera::group {
namespace {

/// Returns the turns of tasks, which begin in this order, for rounds of a number of seconds.
IdVector<TaskId, StreamTurn> turns_in_rounds(const std::vector<ScheduledTask>& tasks, double seconds) {
  IdVector<TaskId, StreamTurn> turns(tasks.size());
  std::vector<std::pair<double, TaskId>> rests;
  for (const ScheduledTask& task : tasks) {
    const double round = std::floor(task.start / seconds);
    turns[task.task].round = static_cast<int>(round);
    rests.emplace_back(task.start - round * seconds, task.task);
  }
  std::ranges::stable_sort(rests, {}, &std::pair<double, TaskId>::first);
  int turn = 0;
  for (const auto& [rest, task] : rests) turns[task].turn = turn++;
  return turns;
}

/// Returns the number of items that a rank has begun and not yet ended between the first and the last turn of
/// an item.
int items_between(const StreamTurn& first, const StreamTurn& last) {
  return last.round - first.round + (last.turn >= first.turn ? 1 : 0);
}

/// Returns the most items that a rank needs memory for: the items that it has begun and not yet ended, or
/// whose messages wait for the tasks that read them, and one more.
int most_slots(const Program& program, const std::vector<ScheduledTask>& tasks,
               const IdVector<TaskId, StreamTurn>& turns) {
  IdVector<TaskId, StreamTurn> until = turns;
  for (const ProgramArray& array : program.arrays())
    for (const Port& use : array.uses)
      if (!array.is_input()) {
        StreamTurn& last = until[array.producer.task];
        last = std::max(last, turns[use.task]);
      }
  // The first and the last turn of an item on each rank.
  std::map<int, std::pair<StreamTurn, StreamTurn>> ends;
  for (const ScheduledTask& task : tasks)
    for (const int rank : task.ranks) {
      const StreamTurn &first = turns[task.task], &last = until[task.task];
      const auto [found, is_new] = ends.try_emplace(rank, first, last);
      found->second = {std::min(found->second.first, first), std::max(found->second.second, last)};
    }
  int most = 1;
  for (const auto& [rank, of_rank] : ends)
    most = std::max(most, items_between(of_rank.first, of_rank.second) + 1);
  return most;
}

/// Returns the turns of the tasks of a stream by a schedule, whose tasks begin in the order of `tasks`. They
/// follow the starts and the period; without a period each item comes after the one before it. Each task
/// comes after those that it depends on. No rank needs memory for more than `window` items: rounds are as
/// long as this needs, and each item comes after the one before it if `window` is 1.
IdVector<TaskId, StreamTurn> stream_turns(const Program& program, const std::vector<ScheduledTask>& tasks,
                                          double period, int window) {
  IdVector<TaskId, double> starts(tasks.size());
  for (const ScheduledTask& task : tasks) starts[task.task] = task.start;
  const double last = *std::ranges::max_element(starts);
  // Longer rounds are tried until memory suffices. Rounds that are much shorter than the whole would only let
  // ranks get far ahead.
  for (double seconds = std::max(period, last / 1024); period > 0 && seconds <= last; seconds *= 1.125) {
    IdVector<TaskId, StreamTurn> turns = turns_in_rounds(tasks, seconds);
    // With memory for fewer items, a rank would wait for others that may wait for it.
    if (most_slots(program, tasks, turns) <= window) return turns;
  }
  IdVector<TaskId, StreamTurn> turns(starts.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) turns[tasks[i].task] = {0, static_cast<int>(i)};
  return turns;
}

/// Completes the schedule of a task for its group. Throws ScheduleError with the name of the task.
std::unique_ptr<ScheduledPipeline> completed(const ProgramTask& task, const Target& target, int rank_count) {
  try {
    return std::make_unique<ScheduledPipeline>(task.pipeline, task.schedule, target, rank_count);
  } catch (const ScheduleError& error) {
    throw ScheduleError(error.key, fmt::format("the task '{}' on {}: {}", task.name,
                                               counted(rank_count, "rank"), error.what()));
  }
}

/// The place of the points of `part` in the packed block of `whole`, if they lie there one after the other.
std::optional<std::int64_t> contiguous_offset(const Box& whole, const Box& part) {
  std::int64_t offset = 0, stride = 1;
  bool is_cut = false;
  for (int d = 0; d < whole.dimensions; ++d) {
    if (is_cut && part[d].size() > 1) return std::nullopt;
    is_cut = is_cut || !(part[d] == whole[d]);
    offset += stride * (part[d].begin - whole[d].begin);
    stride *= whole[d].size();
  }
  return offset;
}

}  // namespace

std::string name_of_task(const Program& program, TaskId task) {
  if (task == start_task) return "start";
  return task == stop_task ? "stop" : program.task(task).name;
}

ProgramPlanner::ProgramPlanner(const Program& program, const GroupSchedule& schedule, const Target& target,
                               int window)
    : program_(program), target_(target), rank_count_(schedule.ranks), window_(window) {
  program.check();
  check_groups_and_order(task_graph(program, std::vector<cost::TaskCost>(program.tasks().size())), schedule);
  tasks_ = tasks_in_order(program, schedule);
  if (is_stream()) turns_ = stream_turns(program, tasks_, schedule.period, window);
  for (const ScheduledTask& task : tasks_)
    scheduled_.push_back(completed(program.task(task.task), target, static_cast<int>(task.ranks.size())));
  routes_ = array_routes(program, tasks_, scheduled_, rank_count_, is_stream());
}

ProgramPlanner::~ProgramPlanner() = default;

/// Returns the number of the first step of a rank whose place is after `place`. One less is the last step
/// before or at this place.
int step_after(const ProgramPlan& plan, int place) {
  const auto step = std::ranges::find_if(plan.steps, [&](const RankStep& one) { return one.place > place; });
  return static_cast<int>(step - plan.steps.begin());
}

void ProgramPlanner::add_steps(ProgramPlan& plan) const {
  std::vector<int> all(static_cast<std::size_t>(rank_count_));
  std::iota(all.begin(), all.end(), 0);
  plan.steps.push_back({start_task, 0, all});
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const ScheduledTask& task = tasks_[i];
    const auto found = std::ranges::find(task.ranks, plan.rank);
    if (found == task.ranks.end()) continue;
    const int rank = static_cast<int>(found - task.ranks.begin());
    plan.steps.push_back({task.task, static_cast<int>(i) + 1, task.ranks,
                          std::make_shared<const Plan>(make_plan(*scheduled_[i], rank))});
    if (is_stream()) plan.steps.back().turn = turns_[task.task];
  }
  plan.steps.push_back({stop_task, static_cast<int>(tasks_.size()) + 1, all});
}

void ProgramPlanner::add_held(ProgramPlan& plan, int array) const {
  const ArrayRoutes& routes = routes_[array];
  const Box& box = routes.owned[plan.rank];
  if (box.empty()) return;
  HeldArray held{array, box, box.size() * program_.array(array).element_bytes()};
  held.steps.use(step_after(plan, routes.place) - 1);
  for (const ArrayRoutes::Reader& reader : routes.readers)
    if (!intersection(reader.read[plan.rank], box).empty())
      held.steps.use(step_after(plan, reader.place) - 1);
  plan.held.push_back(held);
}

void ProgramPlanner::add_sends(ProgramPlan& plan, int array) const {
  const ArrayRoutes& routes = routes_[array];
  const Box& box = routes.owned[plan.rank];
  if (box.empty()) return;
  HeldArray& held = plan.held.back();
  for (int partner = 0; partner < rank_count_; ++partner) {
    if (partner == plan.rank) continue;
    const ArrayRoutes::Transfer transfer = routes.transfer(plan.rank, partner);
    if (transfer.boxes.empty()) continue;
    Parcel parcel{array, partner, transfer.boxes, transfer.points * program_.array(array).element_bytes()};
    parcel.steps.use(step_after(plan, routes.place) - 1);
    parcel.steps.use(step_after(plan, transfer.first_place) - 1);
    if (parcel.boxes.size() == 1) {
      if (const auto offset = contiguous_offset(box, parcel.boxes.front())) {
        parcel.in_place = true;
        parcel.offset = *offset * program_.array(array).element_bytes();
        held.steps.use(parcel.steps.last);
      }
    }
    plan.sends.push_back(std::move(parcel));
  }
}

void ProgramPlanner::add_receives(ProgramPlan& plan, int array) const {
  const ArrayRoutes& routes = routes_[array];
  for (int partner = 0; partner < rank_count_; ++partner) {
    if (partner == plan.rank) continue;
    const ArrayRoutes::Transfer transfer = routes.transfer(partner, plan.rank);
    if (transfer.boxes.empty()) continue;
    Parcel parcel{array, partner, transfer.boxes, transfer.points * program_.array(array).element_bytes()};
    parcel.first_use = step_after(plan, transfer.first_place) - 1;
    parcel.steps.use(parcel.first_use - 1);
    parcel.steps.use(step_after(plan, transfer.last_place) - 1);
    plan.receives.push_back(std::move(parcel));
  }
}

/// Finds the number of items of a stream that the rank has memory for: the items that it has begun and not
/// yet ended, or whose messages wait for the first task that reads them, and one more, so that no rank waits
/// for these messages.
void ProgramPlanner::count_items(ProgramPlan& plan) const {
  plan.is_stream = is_stream();
  if (!plan.is_stream) return;
  int latest_round = 0;
  for (const StreamTurn& turn : turns_) latest_round = std::max(latest_round, turn.round);
  plan.most_items = 2 * (latest_round + 2);
  if (plan.steps.size() == 2) return;
  const StreamTurn first = plan.steps[1].turn;
  StreamTurn last = plan.steps[plan.steps.size() - 2].turn;
  for (const ArrayRoutes& routes : routes_)
    for (int partner = 0; partner < rank_count_; ++partner)
      if (const auto transfer = routes.transfer(plan.rank, partner);
          partner != plan.rank && !transfer.boxes.empty())
        last = std::max(last, turns_[tasks_[static_cast<std::size_t>(transfer.first_place - 1)].task]);
  const int needed = items_between(first, last) + 1;
  // Rounds are as long as the window needs (see stream_turns). If all tasks are in one round, memory for one
  // item is enough.
  if (latest_round > 0 && needed > window_)
    throw InternalError(fmt::format("rank {} needs memory for {} items of a stream, but the window has {}",
                                    plan.rank, needed, window_));
  plan.slots = std::min(window_, needed);
}

void ProgramPlanner::place_memory(ProgramPlan& plan) const {
  std::vector<std::int64_t> bytes, offsets;
  std::vector<Lifetime> lifetimes;
  // `visit` is called twice: first it lists all memory, then it hands out the offsets in the same order.
  const auto visit = [&plan](const auto& use) {
    for (HeldArray& held : plan.held) use(held.bytes, held.steps, held.offset);
    for (Parcel& parcel : plan.sends)
      if (!parcel.in_place) use(parcel.bytes, parcel.steps, parcel.offset);
    for (Parcel& parcel : plan.receives) use(parcel.bytes, parcel.steps, parcel.offset);
  };
  visit([&](std::int64_t size, const Lifetime& steps, std::int64_t&) {
    bytes.push_back(aligned_bytes(size));
    lifetimes.push_back(steps);
  });
  plan.held_bytes = place_by_lifetime(bytes, lifetimes, offsets);
  std::size_t next = 0;
  visit([&](std::int64_t, const Lifetime&, std::int64_t& offset) { offset = offsets[next++]; });
  for (Parcel& parcel : plan.sends)
    if (parcel.in_place)
      parcel.offset += std::ranges::find(plan.held, parcel.array, &HeldArray::array)->offset;
}

void ProgramPlanner::count_memory(ProgramPlan& plan) const {
  for (const RankStep& step : plan.steps) {
    if (step.plan == nullptr) continue;
    plan.array_bytes = std::max(plan.array_bytes, step.plan->array_bytes);
    plan.other_bytes += step.plan->peak_bytes() - step.plan->array_bytes;
  }
  // Writing takes memory for the points of the largest output, whose last reader is the stop.
  std::int64_t written = 0;
  for (const int array : routes_.ids())
    if (const ProgramArray& of_program = program_.array(array); !of_program.output.empty())
      written = std::max(written,
                         routes_[array].readers.back().read[plan.rank].size() * of_program.element_bytes());
  plan.other_bytes += written;
}

void ProgramPlanner::check_memory(const ProgramPlan& plan) const {
  if (target_.memory_bytes == 0 || plan.peak_bytes() <= target_.memory_bytes) return;
  const auto bytes = [](const RankStep& step) { return step.plan == nullptr ? 0 : step.plan->peak_bytes(); };
  const RankStep& largest = *std::ranges::max_element(plan.steps, {}, bytes);
  const std::string task = largest.plan == nullptr
                               ? ""
                               : fmt::format("; the task '{}' takes {} of it",
                                             program_.task(largest.task).name, human_bytes(bytes(largest)));
  throw InputError(
      fmt::format("rank {} needs {} for its tasks and what it keeps between them, but may use {}{}: give "
                  "tasks more ranks, or more memory{}",
                  plan.rank, human_bytes(plan.peak_bytes()), human_bytes(target_.memory_bytes), task,
                  plan.slots > 1 ? ", or write a smaller graph.window" : ""));
}

ProgramPlan ProgramPlanner::plan(int rank) const {
  ProgramPlan plan;
  plan.rank = rank;
  plan.rank_count = rank_count_;
  add_steps(plan);
  const auto by_place = [this](int a, int b) { return routes_[a].place < routes_[b].place; };
  std::vector<int> arrays(routes_.size());
  std::iota(arrays.begin(), arrays.end(), 0);
  std::stable_sort(arrays.begin(), arrays.end(), by_place);
  for (int array : arrays) {
    add_held(plan, array);
    add_sends(plan, array);
    add_receives(plan, array);
  }
  std::stable_sort(plan.receives.begin(), plan.receives.end(),
                   [](const Parcel& a, const Parcel& b) { return a.first_use < b.first_use; });
  count_items(plan);
  place_memory(plan);
  count_memory(plan);
  check_memory(plan);
  return plan;
}

std::vector<ProgramPlan> ProgramPlanner::plans() const {
  std::vector<ProgramPlan> plans;
  for (int rank = 0; rank < rank_count_; ++rank) plans.push_back(plan(rank));
  return plans;
}

GroupSchedule data_parallel_schedule(const Program& program, int group_size, int rank_count) {
  std::vector<int> group(static_cast<std::size_t>(group_size));
  std::iota(group.begin(), group.end(), 0);
  GroupSchedule schedule;
  schedule.ranks = rank_count;
  for (const TaskId task : program.order()) {
    const auto place = static_cast<double>(schedule.tasks.size());
    schedule.tasks.push_back({task, group, place, place});
  }
  return schedule;
}

std::vector<ScheduledTask> tasks_in_order(const Program& program, const GroupSchedule& schedule) {
  IdVector<TaskId, int> place(program.task_count());
  int next = 0;
  for (const TaskId task : program.order()) place[task] = next++;
  std::vector<ScheduledTask> tasks = schedule.tasks;
  // Tasks that take no time may start together with tasks that they depend on.
  std::ranges::stable_sort(tasks, [&](const ScheduledTask& a, const ScheduledTask& b) {
    if (a.start != b.start) return a.start < b.start;
    return place[a.task] < place[b.task];
  });
  return tasks;
}

}  // namespace tessera::group
