// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/group/detail/array_routes.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera::group {
namespace {

void check_group(const Program& program, const TaskGroup& group, int rank_count) {
  const std::string& name = program.task(group.task).name;
  if (group.ranks.empty()) throw InputError(fmt::format("the task '{}' has no ranks", name));
  std::vector<bool> is_in(static_cast<std::size_t>(rank_count), false);
  for (int rank : group.ranks) {
    if (rank < 0 || rank >= rank_count)
      throw InputError(fmt::format("the task '{}' has the rank {}, but there are only the ranks 0 to {}",
                                   name, rank, rank_count - 1));
    if (is_in[static_cast<std::size_t>(rank)])
      throw InputError(fmt::format("the task '{}' has the rank {} twice", name, rank));
    is_in[static_cast<std::size_t>(rank)] = true;
  }
}

void check_groups(const Program& program, const std::vector<TaskGroup>& groups, int rank_count) {
  std::vector<int> place(static_cast<std::size_t>(program.task_count()), -1);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const int task = groups[i].task;
    if (task < 0 || task >= program.task_count())
      throw InputError(fmt::format("there is no task number {}: the program has {}", task,
                                   counted(program.task_count(), "task")));
    if (place[static_cast<std::size_t>(task)] >= 0)
      throw InputError(fmt::format("the task '{}' has two groups", program.task(task).name));
    place[static_cast<std::size_t>(task)] = static_cast<int>(i);
    check_group(program, groups[i], rank_count);
  }
  for (int task = 0; task < program.task_count(); ++task)
    if (place[static_cast<std::size_t>(task)] < 0)
      throw InputError(fmt::format("the task '{}' has no group", program.task(task).name));
  for (const ProgramArray& array : program.arrays())
    for (const Port& use : array.uses)
      if (!array.is_input() &&
          place[static_cast<std::size_t>(use.task)] < place[static_cast<std::size_t>(array.producer.task)])
        throw InputError(fmt::format("the task '{}' comes before the task '{}', which it depends on",
                                     program.task(use.task).name, program.task(array.producer.task).name));
}

/// Completes the schedule of a task for its group. Throws ScheduleError with the name of the task.
std::unique_ptr<ScheduledPipeline> schedule(const ProgramTask& task, const Target& target, int rank_count) {
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

std::string name_of_task(const Program& program, int task) {
  if (task == start_task) return "start";
  return task == stop_task ? "stop" : program.task(task).name;
}

/// The parts of a program on all ranks. A place is a place in the order in which ranks begin tasks (see
/// RankStep::place).
class ProgramPlanner::Impl {
 public:
  Impl(const Program& program, std::vector<TaskGroup> groups, const Target& target, int rank_count,
       StreamOrder stream);
  ProgramPlan plan(int rank) const;
  const Program& program() const { return program_; }
  const std::vector<TaskGroup>& groups() const { return groups_; }
  int rank_count() const { return rank_count_; }

 private:
  bool is_stream() const { return !stream_.turns.empty(); }
  void add_steps(ProgramPlan& plan) const;
  void add_held(ProgramPlan& plan, int array) const;
  void add_sends(ProgramPlan& plan, int array) const;
  void add_receives(ProgramPlan& plan, int array) const;
  void count_items(ProgramPlan& plan) const;
  void place_memory(ProgramPlan& plan) const;
  void count_memory(ProgramPlan& plan) const;
  void check_memory(const ProgramPlan& plan) const;

  const Program& program_;
  std::vector<TaskGroup> groups_;
  Target target_;
  int rank_count_;
  StreamOrder stream_;
  /// The pipelines of the tasks with complete schedules, in the order of `groups_`.
  std::vector<std::unique_ptr<ScheduledPipeline>> scheduled_;
  /// The routes of each array, by the number of the array.
  std::vector<ArrayRoutes> routes_;
};

ProgramPlanner::Impl::Impl(const Program& program, std::vector<TaskGroup> groups, const Target& target,
                           int rank_count, StreamOrder stream)
    : program_(program),
      groups_(std::move(groups)),
      target_(target),
      rank_count_(rank_count),
      stream_(std::move(stream)) {
  program.check();
  check_groups(program, groups_, rank_count);
  for (const TaskGroup& group : groups_) {
    scheduled_.push_back(schedule(program.task(group.task), target, static_cast<int>(group.ranks.size())));
  }
  routes_ = array_routes(program, groups_, scheduled_, rank_count, is_stream());
}

/// Returns the number of the first step of a rank whose place is after `place`.
int step_after(const ProgramPlan& plan, int place) {
  const auto step = std::ranges::find_if(plan.steps, [&](const RankStep& one) { return one.place > place; });
  return static_cast<int>(step - plan.steps.begin());
}

void ProgramPlanner::Impl::add_steps(ProgramPlan& plan) const {
  std::vector<int> all(static_cast<std::size_t>(rank_count_));
  std::iota(all.begin(), all.end(), 0);
  plan.steps.push_back({start_task, 0, all});
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto found = std::ranges::find(groups_[i].ranks, plan.rank);
    if (found == groups_[i].ranks.end()) continue;
    const int rank = static_cast<int>(found - groups_[i].ranks.begin());
    plan.steps.push_back({groups_[i].task, static_cast<int>(i) + 1, groups_[i].ranks,
                          std::make_shared<const Plan>(make_plan(*scheduled_[i], rank))});
    if (is_stream()) plan.steps.back().turn = stream_.turns[static_cast<std::size_t>(groups_[i].task)];
  }
  plan.steps.push_back({stop_task, static_cast<int>(groups_.size()) + 1, all});
}

void ProgramPlanner::Impl::add_held(ProgramPlan& plan, int array) const {
  const ArrayRoutes& routes = routes_[static_cast<std::size_t>(array)];
  const Box& box = routes.owned[static_cast<std::size_t>(plan.rank)];
  if (box.empty()) return;
  HeldArray held{array, box, box.size() * program_.array(array).element_bytes()};
  held.steps.use(step_after(plan, routes.place) - 1);
  for (const ArrayRoutes::Reader& reader : routes.readers)
    if (!intersection(reader.read[static_cast<std::size_t>(plan.rank)], box).empty())
      held.steps.use(step_after(plan, reader.place) - 1);
  plan.held.push_back(held);
}

void ProgramPlanner::Impl::add_sends(ProgramPlan& plan, int array) const {
  const ArrayRoutes& routes = routes_[static_cast<std::size_t>(array)];
  const Box& box = routes.owned[static_cast<std::size_t>(plan.rank)];
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

void ProgramPlanner::Impl::add_receives(ProgramPlan& plan, int array) const {
  const ArrayRoutes& routes = routes_[static_cast<std::size_t>(array)];
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

/// Finds for how many items of a stream the rank has memory: those that it has begun and not yet ended, or
/// whose messages wait for the first task that reads them, and one more, so that no rank waits for these
/// messages.
void ProgramPlanner::Impl::count_items(ProgramPlan& plan) const {
  plan.is_stream = is_stream();
  if (!plan.is_stream) return;
  int latest_round = 0;
  for (const StreamTurn& turn : stream_.turns) latest_round = std::max(latest_round, turn.round);
  plan.most_items = 2 * (latest_round + 2);
  if (plan.steps.size() == 2) return;
  const StreamTurn first = plan.steps[1].turn;
  StreamTurn last = plan.steps[plan.steps.size() - 2].turn;
  for (const ArrayRoutes& routes : routes_)
    for (int partner = 0; partner < rank_count_; ++partner)
      if (const auto transfer = routes.transfer(plan.rank, partner);
          partner != plan.rank && !transfer.boxes.empty())
        last = std::max(last, stream_.turns[static_cast<std::size_t>(
                                  groups_[static_cast<std::size_t>(transfer.first_place - 1)].task)]);
  const int needed = items_between(first, last) + 1;
  // Rounds are as long as the window needs (see stream_order). Without them ranks do with one item.
  if (latest_round > 0 && needed > stream_.window)
    throw InternalError(fmt::format("rank {} needs memory for {} items of a stream, but the window has {}",
                                    plan.rank, needed, stream_.window));
  plan.slots = std::min(stream_.window, needed);
}

void ProgramPlanner::Impl::place_memory(ProgramPlan& plan) const {
  std::vector<std::int64_t> bytes, offsets;
  std::vector<Lifetime> lifetimes;
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

void ProgramPlanner::Impl::count_memory(ProgramPlan& plan) const {
  for (const RankStep& step : plan.steps) {
    if (step.plan == nullptr) continue;
    plan.array_bytes = std::max(plan.array_bytes, step.plan->array_bytes);
    plan.other_bytes += step.plan->peak_bytes() - step.plan->array_bytes;
  }
  std::int64_t written = 0;
  for (std::size_t array = 0; array < routes_.size(); ++array)
    if (!program_.arrays()[array].output.empty())
      written =
          std::max(written, routes_[array].readers.back().read[static_cast<std::size_t>(plan.rank)].size() *
                                program_.arrays()[array].element_bytes());
  plan.other_bytes += written;
}

void ProgramPlanner::Impl::check_memory(const ProgramPlan& plan) const {
  if (target_.memory_bytes == 0 || plan.peak_bytes() <= target_.memory_bytes) return;
  const auto bytes = [](const RankStep& step) { return step.plan == nullptr ? 0 : step.plan->peak_bytes(); };
  const RankStep& largest = *std::ranges::max_element(plan.steps, {}, bytes);
  const std::string task = largest.task < 0
                               ? ""
                               : fmt::format("; the task '{}' takes {} of it",
                                             program_.task(largest.task).name, human_bytes(bytes(largest)));
  throw InputError(
      fmt::format("rank {} needs {} for its tasks and what it keeps between them, but may use {}{}: give "
                  "tasks more ranks, or more memory{}",
                  plan.rank, human_bytes(plan.peak_bytes()), human_bytes(target_.memory_bytes), task,
                  plan.slots > 1 ? ", or write a smaller graph.window" : ""));
}

ProgramPlan ProgramPlanner::Impl::plan(int rank) const {
  ProgramPlan plan;
  plan.rank = rank;
  plan.rank_count = rank_count_;
  add_steps(plan);
  const auto by_place = [this](int a, int b) {
    return routes_[static_cast<std::size_t>(a)].place < routes_[static_cast<std::size_t>(b)].place;
  };
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

ProgramPlanner::ProgramPlanner(const Program& program, std::vector<TaskGroup> groups, const Target& target,
                               int rank_count, StreamOrder stream)
    : impl_(std::make_unique<const Impl>(program, std::move(groups), target, rank_count, std::move(stream))) {
}
ProgramPlanner::~ProgramPlanner() = default;

ProgramPlan ProgramPlanner::plan(int rank) const { return impl_->plan(rank); }

std::vector<ProgramPlan> ProgramPlanner::plans() const {
  std::vector<ProgramPlan> plans;
  for (int rank = 0; rank < impl_->rank_count(); ++rank) plans.push_back(plan(rank));
  return plans;
}

const Program& ProgramPlanner::program() const { return impl_->program(); }
const std::vector<TaskGroup>& ProgramPlanner::groups() const { return impl_->groups(); }

std::vector<TaskGroup> data_parallel_groups(const Program& program, int rank_count) {
  std::vector<TaskGroup> groups;
  for (int task : program.order()) {
    groups.push_back({task, std::vector<int>(static_cast<std::size_t>(rank_count))});
    std::iota(groups.back().ranks.begin(), groups.back().ranks.end(), 0);
  }
  return groups;
}

TaskGraph task_graph(const Program& program, const std::vector<cost::TaskCost>& costs) {
  std::vector<Task> tasks;
  for (const ProgramTask& task : program.tasks())
    tasks.push_back({task.name, costs[tasks.size()], task.name, std::nullopt});
  std::vector<Edge> edges;
  for (const ProgramArray& array : program.arrays())
    for (const Port& use : array.uses)
      if (!array.is_input())
        edges.push_back(
            {array.producer.task, use.task, array.name, array.domain.size() * array.element_bytes()});
  return {std::move(tasks), std::move(edges)};
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
