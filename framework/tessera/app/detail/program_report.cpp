// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/program_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tessera/app/detail/runs.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/group/schedule.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Returns lines that say which ranks compute which tasks, what they send each other, and what memory they
/// need: of all ranks if `rank` is -1, and otherwise the steps of this rank.
std::string explain_program(const ProgramPlans& programs, int rank) {
  const group::ProgramPlanner& planner = programs.planner();
  std::string text;
  for (const std::string& line : programs.remarks()) text += line + "\n";
  if (rank >= 0) return text + group::explain(programs.program(), planner.plan(rank));
  return text + group::to_text(programs.graph(), programs.schedule()) +
         group::explain(programs.program(), planner.plans());
}

/// Returns the estimate of the plans of each task: its steps, what bounds them and their time.
std::string estimate_program(const ProgramPlans& programs, const EstimateSetting& setting) {
  std::string text;
  for (const group::ScheduledTask& task : programs.schedule().tasks) {
    const group::ProgramTask& one = programs.program().task(task.task);
    const Plans plans(one.pipeline, one.schedule, programs.target(), static_cast<int>(task.ranks.size()));
    text += fmt::format("\ntask {} on ranks {}\n{}", one.name, group::ranges_text(task.ranks),
                        estimate_report(one.pipeline, plans, setting).text());
  }
  return text + "\n" + group::to_text(programs.graph(), programs.schedule());
}

/// Returns a line about the ranks, messages and memory of a program that could run.
std::string check_program(const ProgramPlans& programs) {
  std::int64_t messages = 0, bytes = 0, peak = 0;
  for (const group::ProgramPlan& plan : programs.planner().plans()) {
    peak = std::max(peak, plan.peak_bytes());
    messages += std::ssize(plan.sends);
    for (const group::Parcel& parcel : plan.sends) bytes += parcel.bytes;
  }
  return fmt::format("checked {} on {} x {}: {} of {} between tasks, peak memory per rank {}\n",
                     counted(programs.program().task_count(), "task"),
                     counted(programs.schedule().ranks, "rank"), counted(programs.target().threads, "thread"),
                     counted(messages, "message"), human_bytes(bytes), human_bytes(peak));
}

/// Returns the texts about the tasks and their groups of ranks that the options ask for.
std::string asked_text(const RunSetup& setup, const ProgramPlans& programs) {
  const Options& options = setup.options;
  check_rank(options, programs.schedule().ranks);
  if (options.dot) return group::to_dot(programs.graph(), &programs.schedule());
  std::string text;
  if (options.check) text += check_program(programs);
  if (options.explain) text += explain_program(programs, options.rank);
  if (options.estimate) {
    EstimateSetting setting = estimate_setting(options);
    setting.machine = programs.machine();
    if (options.machine.empty()) setting.machine_file = setup.deck.text_of("program.machine");
    setting.rank = -1;
    text += estimate_program(programs, setting);
  }
  return text;
}

}  // namespace

void show_program(const RunSetup& setup, const ProgramPlans& programs, const std::string& more) {
  const Options& options = setup.options;
  const std::string chart = setup.deck.text_of("program.chart");
  print_and_write(
      setup.session, setup.read_files(),
      {{"command line: --save-plan", options.save_plan}, {"program.chart", chart}}, [&] {
        const std::string text = blame_deck(setup.deck, [&] { return asked_text(setup, programs) + more; });
        return std::vector{
            options.check && options.quiet ? "" : text,
            options.save_plan.empty() ? "" : group::to_json(programs.graph(), programs.schedule()),
            chart.empty() ? "" : group::to_svg(programs.graph(), programs.schedule())};
      });
}

namespace {

/// Returns the seconds between two results of a series. `written` are the times of all of them.
double period_of(const std::vector<double>& written) {
  if (written.size() < 2) return written.empty() ? 0 : written.back();
  return (written.back() - written.front()) / static_cast<double>(written.size() - 1);
}

}  // namespace

TaskTimes::TaskTimes(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramPlan& plan,
                     const group::StreamOutcome& outcome)
    : programs_(programs), is_first_rank_(rank_in(communicator) == 0), schedule_(programs.schedule()) {
  RankCost mine{plan.peak_bytes(), std::ssize(plan.sends), 0, outcome.reading, outcome.writing};
  for (const group::Parcel& parcel : plan.sends) mine.message_bytes += parcel.bytes;
  const auto times = graph::gathered(communicator, outcome.tasks);
  written_ = graph::gathered(communicator, outcome.written);
  for (const RankCost& rank : graph::gathered(communicator, std::vector{mine}))
    all_ = {std::max(all_.peak_bytes, rank.peak_bytes), all_.messages + rank.messages,
            all_.message_bytes + rank.message_bytes, std::max(all_.reading, rank.reading),
            std::max(all_.writing, rank.writing)};
  std::ranges::sort(written_);
  schedule_.period = period_of(written_);
  double begin = std::numeric_limits<double>::infinity();
  for (group::ScheduledTask& task : schedule_.tasks) {
    set_times(task, times);
    begin = std::min(begin, task.start);
  }
  // The time that ranks take to read does not belong to the tasks.
  for (group::ScheduledTask& task : schedule_.tasks) {
    task.start -= begin;
    task.finish -= begin;
  }
  group::put_in_order(schedule_);
}

void TaskTimes::set_times(group::ScheduledTask& task, const std::vector<group::StreamTimes>& times) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  task.start = infinity;
  task.finish = -infinity;
  double& waited = waited_[task.task] = 0;
  for (const group::StreamTimes& rank : times) {
    if (rank.task != task.task || rank.items == 0) continue;
    const auto items = static_cast<double>(rank.items);
    // Item k runs k periods later than the first one.
    const double later = schedule_.period * rank.numbers;
    task.start = std::min(task.start, (rank.begins - later) / items);
    task.finish = std::max(task.finish, (rank.ends - later) / items);
    waited = std::max(waited, rank.waited / items);
  }
  if (task.start == infinity) task.start = task.finish = 0;
}

std::string TaskTimes::text() const {
  const std::string tasks = counted(programs_.program().task_count(), "task");
  if (!programs_.is_stream())
    return fmt::format("{} in {:.4g} s, estimated {:.4g} s", tasks, schedule_.makespan,
                       programs_.schedule().makespan);
  return fmt::format("{} on {}, {:.4g} s for each image, estimated {:.4g} s", tasks,
                     counted(programs_.schedule().ranks, "rank"), schedule_.period,
                     programs_.schedule().period);
}

std::string TaskTimes::chart() const {
  return is_first_rank_ ? group::to_svg(programs_.graph(), schedule_) : "";
}

void TaskTimes::add(Report& report) const {
  if (!is_first_rank_) return;
  const group::GroupSchedule& estimated = programs_.schedule();
  report.add("program",
             {{"allocation", schedule_.strategy}, {"tasks", std::int64_t{programs_.program().task_count()}}});
  if (programs_.is_stream())
    report.add("program", {{"period_seconds", schedule_.period},
                           {"estimated_period_seconds", estimated.period},
                           {"latency_seconds", schedule_.makespan},
                           {"estimated_latency_seconds", estimated.makespan},
                           {"reading_seconds_most", all_.reading},
                           {"writing_seconds_most", all_.writing},
                           {"messages_per_image", all_.messages},
                           {"message_bytes_per_image", all_.message_bytes}});
  else
    report.add("program", {{"seconds", schedule_.makespan},
                           {"estimated_seconds", estimated.makespan},
                           {"messages_between_tasks", all_.messages},
                           {"bytes_between_tasks", all_.message_bytes}});
  report.add("program", {{"planned_peak_bytes_most", all_.peak_bytes}});
  for (const group::ScheduledTask& task : schedule_.tasks)
    report.add_row("tasks", {{"task", programs_.program().task(task.task).name},
                             {"group", group::ranges_text(task.ranks)},
                             {"ranks", std::ssize(task.ranks)},
                             {"start_seconds", task.start},
                             {"seconds", task.finish - task.start},
                             {"waited_seconds", waited_.at(task.task)},
                             {"estimated_seconds",
                              programs_.graph().seconds(task.task, static_cast<double>(task.ranks.size()))}});
}

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
    : programs_(programs), most_items_(mine.most_items) {
  for (const group::RankStep& step : mine.steps) {
    if (step.plan == nullptr) continue;
    walk(step.plan->root,
         [&](const PlanNode& node) { stride_ = std::max(stride_, place_of_first_node + node.id + 1); });
  }
  // A rank has plans of its own tasks only.
  MPI_Allreduce(MPI_IN_PLACE, &stride_, 1, MPI_INT, MPI_MAX, communicator);
  add_names(own_names_, mine);
}

int ProgramParts::first_of(group::TaskId task) const {
  return stride_ * (task == group::stop_task ? programs_.program().task_count() + 1 : to_int(task) + 1);
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
    names.merge(step_names(programs_.program().task(step.task).pipeline, *step.plan,
                           first + place_of_first_node, task + ": "));
  }
}

StepNames ProgramParts::names() const {
  StepNames names;
  for (const group::ScheduledTask& task : programs_.schedule().tasks)
    if (!names.contains(first_of(task.task))) add_names(names, programs_.planner().plan(task.ranks.front()));
  return names;
}

std::int64_t ProgramParts::steps_to_wait_for() const {
  std::int64_t steps = 0;
  for (const auto& [number, name] : names()) {
    // A task reads before its plan or writes after it, and sends.
    if (name.kind == "task") steps += 2;
    if (number % stride_ >= place_of_first_node) ++steps;
  }
  return steps * most_items_;
}

std::vector<Recorder::Event> ProgramParts::with_tasks(const std::vector<Recorder::Event>& events) const {
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
}

}  // namespace tessera::app
