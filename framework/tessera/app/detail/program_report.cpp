// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/program_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tessera/app/detail/transfers.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/domain/human_bytes.hpp"
#include "tessera/group/gantt.hpp"
#include "tessera/group/program_explain.hpp"
#include "tessera/group/rank_ranges.hpp"

namespace tessera::app {

ProgramTimes::ProgramTimes(MPI_Comm communicator, const ProgramPlans& programs,
                           const group::ProgramInstance& instance)
    : programs_(programs) {
  const group::ProgramPlan& plan = instance.plan();
  const auto sum = [](std::int64_t bytes, const group::Parcel& parcel) { return bytes + parcel.bytes; };
  const RankCost mine{plan.peak_bytes(), std::ssize(plan.sends),
                      std::accumulate(plan.sends.begin(), plan.sends.end(), std::int64_t{0}, sum)};
  const auto times = gather(communicator, instance.times());
  for (const auto& costs : gather(communicator, std::vector{mine})) ranks_.push_back(costs.front());
  for (std::size_t rank = 0; rank < times.size(); ++rank)
    for (const group::StepTimes& step : times[rank]) entries_.push_back({static_cast<int>(rank), step});
}

group::GroupSchedule ProgramTimes::measured() const {
  group::GroupSchedule schedule = programs_.schedule();
  for (group::ScheduledTask& task : schedule.tasks) {
    task.start = std::numeric_limits<double>::infinity();
    task.finish = 0;
    for (const Entry& entry : entries_) {
      if (entry.times.task != task.task) continue;
      task.start = std::min(task.start, entry.times.begin);
      task.finish = std::max(task.finish, entry.times.end);
    }
  }
  // The time of the start, in which ranks read, does not belong to the tasks.
  double begin = std::numeric_limits<double>::infinity();
  for (const group::ScheduledTask& task : schedule.tasks) begin = std::min(begin, task.start);
  for (group::ScheduledTask& task : schedule.tasks) {
    task.start -= begin;
    task.finish -= begin;
  }
  group::put_in_order(schedule);
  return schedule;
}

std::string ProgramTimes::text() const {
  if (entries_.empty()) return "";
  return fmt::format("{} in {:.4g} s, estimated {:.4g} s", counted(programs_.program().task_count(), "task"),
                     measured().makespan, programs_.schedule().makespan);
}

std::string ProgramTimes::chart() const {
  return entries_.empty() ? "" : group::to_svg(programs_.graph(), measured());
}

void ProgramTimes::add(Report& report) const {
  if (entries_.empty()) return;
  const group::GroupSchedule schedule = measured();
  std::int64_t messages = 0, bytes = 0, peak = 0;
  for (const RankCost& rank : ranks_) {
    messages += rank.messages;
    bytes += rank.message_bytes;
    peak = std::max(peak, rank.peak_bytes);
  }
  report.add("program", {{"allocation", schedule.strategy},
                         {"tasks", std::int64_t{programs_.program().task_count()}},
                         {"seconds", schedule.makespan},
                         {"estimated_seconds", programs_.schedule().makespan},
                         {"messages_between_tasks", messages},
                         {"bytes_between_tasks", bytes},
                         {"planned_peak_bytes_most", peak}});
  for (const group::ScheduledTask& task : schedule.tasks) {
    double waited = 0;
    for (const Entry& entry : entries_)
      if (entry.times.task == task.task) waited = std::max(waited, entry.times.waited);
    report.add_row("tasks", {{"task", programs_.program().task(task.task).name},
                             {"group", group::ranges_text(task.ranks)},
                             {"ranks", std::ssize(task.ranks)},
                             {"start_seconds", task.start},
                             {"seconds", task.finish - task.start},
                             {"waited_seconds", waited},
                             {"estimated_seconds",
                              programs_.graph().seconds(task.task, static_cast<double>(task.ranks.size()))}});
  }
}

std::string explain_program(const ProgramPlans& programs, int rank) {
  const group::ProgramPlanner& planner = programs.planner();
  std::string text;
  for (const std::string& line : programs.remarks()) text += line + "\n";
  if (rank >= 0) return text + group::explain(programs.program(), planner.plan(rank));
  return text + group::to_text(programs.graph(), programs.schedule()) +
         group::explain(programs.program(), planner.plans());
}

}  // namespace tessera::app
