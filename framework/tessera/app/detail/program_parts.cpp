// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/program_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera::app {
namespace {

using group::StepPart;

/// The number of a whole task is followed by those of its kinds of parts, in the order of StepPart::Kind, and
/// then by those of the nodes of its plan.
constexpr auto& part_names = StepPart::names_of_kinds;
constexpr int place_of_kind(StepPart::Kind kind) { return 1 + static_cast<int>(kind); }
constexpr int number_of_first_node = 1 + static_cast<int>(part_names.size());

/// A task reads before its plan or writes after it, and sends.
constexpr int steps_outside_of_plan = 2;

}  // namespace

ProgramParts::ProgramParts(MPI_Comm communicator, const ProgramPlans& programs,
                           const group::ProgramPlan& mine, int first)
    : programs_(programs), mine_(mine) {
  // A rank has plans of its own tasks only.
  const std::size_t places = static_cast<std::size_t>(programs.program().task_count()) + 2;
  std::vector<int> numbers(2 * places, 0);
  for (const group::RankStep& step : mine.steps) {
    if (step.plan == nullptr) continue;
    walk(step.plan->root, [&](const PlanNode& node) {
      ++numbers[place_of(step.task)];
      if (is_step(node)) ++numbers[places + place_of(step.task)];
    });
  }
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT, MPI_MAX,
                communicator);
  firsts_.push_back(first);
  for (std::size_t place = 0; place < places; ++place) {
    firsts_.push_back(firsts_.back() + number_of_first_node + numbers[place]);
    steps_ += numbers[places + place] + steps_outside_of_plan;
  }
}

std::size_t ProgramParts::place_of(int task) const {
  if (task >= 0) return static_cast<std::size_t>(task);
  return static_cast<std::size_t>(programs_.program().task_count() + (task == group::start_task ? 0 : 1));
}

int ProgramParts::number_of(const StepPart& part) const {
  const int first = firsts_[place_of(part.task)];
  if (part.node != nullptr) return first + number_of_first_node + part.node->id;
  return first + place_of_kind(part.kind);
}

int ProgramParts::number_of_kind(const StepPart& part) const {
  return firsts_[place_of(part.task)] + (part.kind == StepPart::Kind::compute ? 0 : place_of_kind(part.kind));
}

void ProgramParts::add_names(StepNames& names, const group::ProgramPlan& plan) const {
  for (const group::RankStep& step : plan.steps) {
    const int first = firsts_[place_of(step.task)];
    const std::string task = group::name_of_task(programs_.program(), step.task);
    if (!names.try_emplace(first, StepName{task, "task"}).second) continue;
    for (std::size_t kind = 0; kind < part_names.size(); ++kind)
      names[first + place_of_kind(static_cast<StepPart::Kind>(kind))] = {
          fmt::format("{}: {}", task, part_names[kind]), part_names[kind]};
    if (step.plan == nullptr) continue;
    const Algorithm& pipeline = programs_.program().task(step.task).pipeline;
    walk(step.plan->root, [&](const PlanNode& node) {
      if (is_step(node))
        names[first + number_of_first_node + node.id] = {
            fmt::format("{}: {}", task, step_label(pipeline, node)), step_kind(node)};
    });
  }
}

std::string ProgramParts::text_of(int number) const {
  StepNames names;
  add_names(names, mine_);
  const auto found = names.find(number);
  return found == names.end() ? "" : found->second.name;
}

StepNames ProgramParts::names() const {
  StepNames names;
  add_names(names, mine_);
  for (const group::TaskGroup& group : programs_.planner().groups())
    if (!names.contains(firsts_[place_of(group.task)]))
      add_names(names, programs_.planner().plan(group.ranks.front()));
  return names;
}

std::vector<Recorder::Event> ProgramParts::with_tasks(const std::vector<Recorder::Event>& events) const {
  std::vector<Recorder::Event> all;
  std::size_t whole = 0;
  int last = -1;
  for (const Recorder::Event& event : events) {
    // The phases of a run have negative numbers.
    const int first = event.node < 0 ? -1 : *(std::ranges::upper_bound(firsts_, event.node) - 1);
    const bool is_in_task = first >= 0 && event.node != first + place_of_kind(StepPart::Kind::wait);
    if (is_in_task && first != last) {
      whole = all.size();
      all.push_back({first, event.begin, event.end});
    }
    if (is_in_task) all[whole].end = event.end;
    last = is_in_task ? first : -1;
    all.push_back(event);
  }
  return all;
}

std::string ProgramParts::trace_text(const std::vector<std::vector<Recorder::Event>>& events_by_rank) const {
  std::vector<std::vector<Recorder::Event>> all;
  for (const auto& events : events_by_rank) all.push_back(with_tasks(events));
  return app::trace_text(names(), all);
}

PartsWatchdog::PartsWatchdog(const RunSetup& setup, const ProgramParts& parts) : parts_(parts) {
  seconds_ = watchdog_seconds(setup.deck);
  if (seconds_ == 0) return;
  begun_.emplace(setup.session.communicator());
  seconds_of_wait_ = seconds_;
  if (!begun_->has_all()) seconds_of_wait_ *= static_cast<double>(parts.steps_to_wait_for());
  const auto bite = [this, &setup](int number, double limit) {
    end_standstill(setup.session, setup.application.program, seconds_, limit, parts_.text_of(number));
  };
  watchdog_.emplace(seconds_, bite, WaitLimit{seconds_of_wait_, [this] { return begun_->sum(); }});
}

std::string PartsWatchdog::remark() const {
  if (seconds_of_wait_ <= seconds_) return "";
  return fmt::format(
      "watchdog: a rank may wait {:.6g} s for other ranks, as it does not see the steps on other machine "
      "nodes",
      seconds_of_wait_);
}

}  // namespace tessera::app
