// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/program_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "tessera/app/detail/transfers.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/group/charts.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/group/schedule.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {

std::string explain_program(const ProgramPlans& programs, int rank) {
  const group::ProgramPlanner& planner = programs.planner();
  std::string text;
  for (const std::string& line : programs.remarks()) text += line + "\n";
  if (rank >= 0) return text + group::explain(programs.program(), planner.plan(rank));
  return text + group::to_text(programs.graph(), programs.schedule()) +
         group::explain(programs.program(), planner.plans());
}

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

Plan described_plan(const Algorithm& pipeline, Plan whole, const group::Program& program,
                    const group::ProgramPlan& plan) {
  for (PlanNode& part : std::get<plan::Sequence>(whole.root.step).children)
    if (auto* sequence = std::get_if<plan::Sequence>(&part.step)) sequence->children.clear();
  number_nodes(whole.root);
  whole.array_bytes = plan.array_bytes;
  whole.message_bytes = plan.held_bytes;
  whole.scratch_bytes = plan.other_bytes;
  whole.partial_bytes = whole.library_bytes = 0;
  for (ArrayRegions& regions : whole.stages) regions.computed_points = regions.redundant_points = 0;
  for (const group::RankStep& step : plan.steps) {
    if (step.plan == nullptr) continue;
    const Algorithm& task = program.task(step.task).pipeline;
    for (int id = 0; id < task.size(); ++id) {
      if (task[id].is_input()) continue;
      const ArrayRegions& computed = step.plan->stages[static_cast<std::size_t>(id)];
      ArrayRegions& regions = whole.stages[static_cast<std::size_t>(pipeline.find(task[id].name))];
      regions.placement = computed.placement;
      regions.computed_points = computed.computed_points;
      regions.redundant_points = computed.redundant_points;
    }
  }
  return whole;
}

namespace {

/// Returns what the options ask to be printed of the tasks on their groups of ranks.
std::string asked_text(const RunSetup& setup, const ProgramPlans& programs) {
  const Options& options = setup.options;
  if (options.rank >= programs.schedule().ranks)
    throw InputError(fmt::format("command line: --rank {}: there are ranks 0 to {}", options.rank,
                                 programs.schedule().ranks - 1));
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
  const MPI_Comm communicator = setup.session.communicator();
  const std::string& save = setup.options.save_plan;
  const std::string chart = setup.deck.text_of("program.chart");
  check_names(setup.read_files(), {{"command line: --save-plan", save}, {"program.chart", chart}});
  std::optional<io::TextFile> saved, drawn;
  if (!save.empty()) saved.emplace(communicator, save);
  if (!chart.empty()) drawn.emplace(communicator, chart);
  std::string text;
  collectively(communicator, [&] {
    if (setup.session.rank() == 0) setup.blame_deck([&] { text = asked_text(setup, programs) + more; });
  });
  const bool is_first = setup.session.rank() == 0;
  if (saved) saved->write(is_first ? group::to_json(programs.graph(), programs.schedule()) : "");
  if (drawn) drawn->write(is_first ? group::to_svg(programs.graph(), programs.schedule()) : "");
  if (!(setup.options.check && setup.options.quiet)) setup.session.print(text);
}

namespace {

template <class T>
std::vector<T> gather_all(MPI_Comm communicator, const std::vector<T>& mine) {
  std::vector<T> all;
  for (const std::vector<T>& of_rank : gather(communicator, mine))
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  return all;
}

/// Returns the seconds between two results of a series. `written` are the times of all of them.
double period_of(const std::vector<double>& written) {
  if (written.size() < 2) return written.empty() ? 0 : written.back();
  return (written.back() - written.front()) / static_cast<double>(written.size() - 1);
}

/// Returns the sums of the times of a task over its ranks.
group::StreamTimes sum_of(const std::vector<group::StreamTimes>& times, int task) {
  group::StreamTimes sum{task};
  for (const group::StreamTimes& one : times) {
    if (one.task != task) continue;
    sum.items += one.items;
    sum.numbers += one.numbers;
    sum.begins += one.begins;
    sum.ends += one.ends;
    sum.waited += one.waited;
  }
  return sum;
}

}  // namespace

TaskTimes::TaskTimes(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramPlan& plan,
                     double reading, double writing)
    : programs_(programs), schedule_(programs.schedule()) {
  const auto sum = [](std::int64_t bytes, const group::Parcel& parcel) { return bytes + parcel.bytes; };
  const RankCost mine{plan.peak_bytes(), std::ssize(plan.sends),
                      std::accumulate(plan.sends.begin(), plan.sends.end(), std::int64_t{0}, sum), reading,
                      writing};
  ranks_ = gather_all(communicator, std::vector{mine});
}

TaskTimes::TaskTimes(MPI_Comm communicator, const ProgramPlans& programs,
                     const group::ProgramInstance& instance)
    : TaskTimes(communicator, programs, instance.plan(), 0, 0) {
  const auto steps = gather_all(communicator, instance.times());
  if (ranks_.empty()) return;
  for (group::ScheduledTask& task : schedule_.tasks) {
    task.start = std::numeric_limits<double>::infinity();
    task.finish = 0;
    waited_[task.task] = 0;
    for (const group::StepTimes& step : steps) {
      if (step.task != task.task) continue;
      task.start = std::min(task.start, step.begin);
      task.finish = std::max(task.finish, step.end);
      waited_[task.task] = std::max(waited_[task.task], step.waited);
    }
  }
  begin_with_first();
}

TaskTimes::TaskTimes(MPI_Comm communicator, const ProgramPlans& programs, const group::ProgramPlan& plan,
                     const group::StreamOutcome& outcome)
    : TaskTimes(communicator, programs, plan, outcome.reading, outcome.writing) {
  const auto times = gather_all(communicator, outcome.tasks);
  written_ = gather_all(communicator, outcome.written);
  if (ranks_.empty()) return;
  std::ranges::sort(written_);
  schedule_.period = period_of(written_);
  for (group::ScheduledTask& task : schedule_.tasks) {
    const group::StreamTimes sum = sum_of(times, task.task);
    const double items = std::max(1.0, static_cast<double>(sum.items));
    // Item k runs k periods later than the first one.
    task.start = (sum.begins - schedule_.period * sum.numbers) / items;
    task.finish = task.start + (sum.ends - sum.begins) / items;
    waited_[task.task] = sum.waited / items;
  }
  begin_with_first();
}

void TaskTimes::begin_with_first() {
  double begin = std::numeric_limits<double>::infinity();
  for (const group::ScheduledTask& task : schedule_.tasks) begin = std::min(begin, task.start);
  for (group::ScheduledTask& task : schedule_.tasks) {
    task.start -= begin;
    task.finish -= begin;
  }
  group::put_in_order(schedule_);
}

std::string TaskTimes::text() const {
  if (ranks_.empty()) return "";
  const std::string tasks = counted(programs_.program().task_count(), "task");
  if (!programs_.is_stream())
    return fmt::format("{} in {:.4g} s, estimated {:.4g} s", tasks, schedule_.makespan,
                       programs_.schedule().makespan);
  return fmt::format("{} on {}, {:.4g} s for each image, estimated {:.4g} s", tasks,
                     counted(programs_.schedule().ranks, "rank"), schedule_.period,
                     programs_.schedule().period);
}

std::string TaskTimes::chart() const {
  return ranks_.empty() ? "" : group::to_svg(programs_.graph(), schedule_);
}

void TaskTimes::add_program(Report& report) const {
  RankCost all;
  for (const RankCost& rank : ranks_)
    all = {std::max(all.peak_bytes, rank.peak_bytes), all.messages + rank.messages,
           all.message_bytes + rank.message_bytes, std::max(all.reading, rank.reading),
           std::max(all.writing, rank.writing)};
  const group::GroupSchedule& estimated = programs_.schedule();
  report.add("program",
             {{"allocation", schedule_.strategy}, {"tasks", std::int64_t{programs_.program().task_count()}}});
  if (programs_.is_stream())
    report.add("program", {{"period_seconds", schedule_.period},
                           {"estimated_period_seconds", estimated.period},
                           {"latency_seconds", schedule_.makespan},
                           {"estimated_latency_seconds", estimated.makespan},
                           {"reading_seconds_most", all.reading},
                           {"writing_seconds_most", all.writing},
                           {"messages_per_image", all.messages},
                           {"message_bytes_per_image", all.message_bytes}});
  else
    report.add("program", {{"seconds", schedule_.makespan},
                           {"estimated_seconds", estimated.makespan},
                           {"messages_between_tasks", all.messages},
                           {"bytes_between_tasks", all.message_bytes}});
  report.add("program", {{"planned_peak_bytes_most", all.peak_bytes}});
}

void TaskTimes::add(Report& report) const {
  if (ranks_.empty()) return;
  add_program(report);
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

}  // namespace tessera::app
