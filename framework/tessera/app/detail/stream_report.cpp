// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/stream_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "tessera/app/detail/transfers.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/group/gantt.hpp"
#include "tessera/group/rank_ranges.hpp"

namespace tessera::app {
namespace {

template <class T>
std::vector<T> gather_all(MPI_Comm communicator, const std::vector<T>& mine) {
  std::vector<T> all;
  for (const std::vector<T>& of_rank : gather(communicator, mine))
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  return all;
}

}  // namespace

StreamTimesOfRanks::StreamTimesOfRanks(MPI_Comm communicator, const ProgramPlans& programs,
                                       const group::ProgramPlan& plan, const group::StreamOutcome& outcome)
    : programs_(programs) {
  const auto sum = [](std::int64_t bytes, const group::Parcel& parcel) { return bytes + parcel.bytes; };
  const RankCost mine{plan.peak_bytes(), std::ssize(plan.sends),
                      std::accumulate(plan.sends.begin(), plan.sends.end(), std::int64_t{0}, sum),
                      outcome.reading, outcome.writing};
  tasks_ = gather_all(communicator, outcome.tasks);
  ranks_ = gather_all(communicator, std::vector{mine});
  written_ = gather_all(communicator, outcome.written);
  std::ranges::sort(written_);
}

double StreamTimesOfRanks::period() const {
  const std::int64_t between = written() - 1;
  if (between < 1) return seconds();
  return (written_.back() - written_.front()) / static_cast<double>(between);
}

group::StreamTimes StreamTimesOfRanks::sum(int task) const {
  group::StreamTimes sum{task};
  for (const group::StreamTimes& one : tasks_) {
    if (one.task != task) continue;
    sum.items += one.items;
    sum.numbers += one.numbers;
    sum.begins += one.begins;
    sum.ends += one.ends;
    sum.waited += one.waited;
  }
  return sum;
}

group::GroupSchedule StreamTimesOfRanks::measured() const {
  group::GroupSchedule schedule = programs_.schedule();
  schedule.period = period();
  double begin = std::numeric_limits<double>::infinity();
  for (group::ScheduledTask& task : schedule.tasks) {
    const group::StreamTimes times = sum(task.task);
    const double items = std::max(1.0, static_cast<double>(times.items));
    // Item k runs k periods later than the first one.
    task.start = (times.begins - schedule.period * times.numbers) / items;
    task.finish = task.start + (times.ends - times.begins) / items;
    begin = std::min(begin, task.start);
  }
  for (group::ScheduledTask& task : schedule.tasks) {
    task.start -= begin;
    task.finish -= begin;
  }
  group::put_in_order(schedule);
  return schedule;
}

std::string StreamTimesOfRanks::text() const {
  if (tasks_.empty()) return "";
  return fmt::format("{} on {}, {:.4g} s for each image, estimated {:.4g} s",
                     counted(programs_.program().task_count(), "task"),
                     counted(programs_.schedule().ranks, "rank"), period(), programs_.schedule().period);
}

std::string StreamTimesOfRanks::chart() const {
  return tasks_.empty() ? "" : group::to_svg(programs_.graph(), measured());
}

void StreamTimesOfRanks::add(Report& report) const {
  if (tasks_.empty()) return;
  const group::GroupSchedule schedule = measured();
  std::int64_t messages = 0, bytes = 0, peak = 0;
  double reading = 0, writing = 0;
  for (const RankCost& rank : ranks_) {
    messages += rank.messages;
    bytes += rank.message_bytes;
    peak = std::max(peak, rank.peak_bytes);
    reading = std::max(reading, rank.reading);
    writing = std::max(writing, rank.writing);
  }
  report.add("program", {{"allocation", schedule.strategy},
                         {"tasks", std::int64_t{programs_.program().task_count()}},
                         {"period_seconds", schedule.period},
                         {"estimated_period_seconds", programs_.schedule().period},
                         {"latency_seconds", schedule.makespan},
                         {"estimated_latency_seconds", programs_.schedule().makespan},
                         {"reading_seconds_most", reading},
                         {"writing_seconds_most", writing},
                         {"messages_per_image", messages},
                         {"message_bytes_per_image", bytes},
                         {"planned_peak_bytes_most", peak}});
  for (const group::ScheduledTask& task : schedule.tasks) {
    const group::StreamTimes times = sum(task.task);
    const double items = std::max(1.0, static_cast<double>(times.items));
    report.add_row("tasks", {{"task", programs_.program().task(task.task).name},
                             {"group", group::ranges_text(task.ranks)},
                             {"ranks", std::ssize(task.ranks)},
                             {"start_seconds", task.start},
                             {"seconds", task.finish - task.start},
                             {"waited_seconds", times.waited / items},
                             {"estimated_seconds",
                              programs_.graph().seconds(task.task, static_cast<double>(task.ranks.size()))}});
  }
}

}  // namespace tessera::app
