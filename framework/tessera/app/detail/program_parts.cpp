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
constexpr int place_of_first_node = 1 + static_cast<int>(part_names.size());

}  // namespace

ProgramParts::ProgramParts(MPI_Comm communicator, const ProgramPlans& programs,
                           const group::ProgramPlan& mine)
    : programs_(programs), mine_(mine) {
  for (const group::RankStep& step : mine.steps) {
    if (step.plan == nullptr) continue;
    walk(step.plan->root,
         [&](const PlanNode& node) { stride_ = std::max(stride_, place_of_first_node + node.id + 1); });
  }
  // A rank has plans of its own tasks only.
  MPI_Allreduce(MPI_IN_PLACE, &stride_, 1, MPI_INT, MPI_MAX, communicator);
}

int ProgramParts::first_of(int task) const {
  return stride_ * (task == group::stop_task ? programs_.program().task_count() + 1 : task + 1);
}

int ProgramParts::number_of(const StepPart& part) const {
  return first_of(part.task) +
         (part.node != nullptr ? place_of_first_node + part.node->id : place_of_kind(part.kind));
}

void ProgramParts::add_names(StepNames& names, const group::ProgramPlan& plan) const {
  for (const group::RankStep& step : plan.steps) {
    const int first = first_of(step.task);
    const std::string task = group::name_of_task(programs_.program(), step.task);
    if (!names.try_emplace(first, StepName{task, "task"}).second) continue;
    for (std::size_t kind = 0; kind < part_names.size(); ++kind)
      names[first + place_of_kind(static_cast<StepPart::Kind>(kind))] = {
          fmt::format("{}: {}", task, part_names[kind]), part_names[kind]};
    if (step.plan == nullptr) continue;
    const Algorithm& pipeline = programs_.program().task(step.task).pipeline;
    walk(step.plan->root, [&](const PlanNode& node) {
      if (is_step(node))
        names[first + place_of_first_node + node.id] = {
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
  for (const group::TaskGroup& group : programs_.planner().groups())
    if (!names.contains(first_of(group.task)))
      add_names(names, programs_.planner().plan(group.ranks.front()));
  return names;
}

std::int64_t ProgramParts::steps_to_wait_for() const {
  std::int64_t steps = 0;
  for (const auto& [number, name] : names()) {
    // A task reads before its plan or writes after it, and sends.
    if (name.kind == "task") steps += 2;
    if (number % stride_ >= place_of_first_node) ++steps;
  }
  return steps * mine_.most_items;
}

std::string ProgramParts::trace_text(const std::vector<std::vector<Recorder::Event>>& events_by_rank) const {
  const auto with_tasks = [this](const std::vector<Recorder::Event>& events) {
    std::vector<Recorder::Event> all;
    std::size_t whole = 0;
    int last = -1;
    for (const Recorder::Event& event : events) {
      // The phases of a run have negative numbers.
      const int place = event.node % stride_;
      const bool is_in_task = event.node >= 0 && place != place_of_kind(StepPart::Kind::wait);
      const int first = is_in_task ? event.node - place : -1;
      if (is_in_task && first != last) {
        whole = all.size();
        all.push_back(event);
        all.back().node = first;
      }
      if (is_in_task) all[whole].end = event.end;
      last = first;
      all.push_back(event);
    }
    return all;
  };
  std::vector<std::vector<Recorder::Event>> all;
  for (const auto& events : events_by_rank) all.push_back(with_tasks(events));
  return app::trace_text(names(), all);
}

PartsWatchdog::PartsWatchdog(const RunSetup& setup, const ProgramParts& parts, Progress& progress)
    : parts_(parts) {
  const double seconds = watchdog_seconds(setup.deck);
  if (seconds == 0) return;
  begun_.emplace(setup.session.communicator());
  double wait = seconds;
  if (!begun_->has_all()) {
    wait *= static_cast<double>(parts.steps_to_wait_for());
    progress.line(fmt::format(
        "watchdog: a rank may wait {:.6g} s for other ranks, as it does not see the steps on other machine "
        "nodes",
        wait));
  }
  const auto bite = [this, &setup, seconds](int number, double limit) {
    end_standstill(setup.session, setup.application.program, seconds, limit, parts_.text_of(number));
  };
  watchdog_.emplace(seconds, bite, WaitLimit{wait, [this] { return begun_->sum(); }});
}

}  // namespace tessera::app
