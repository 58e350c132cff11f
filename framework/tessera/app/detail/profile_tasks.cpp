// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/profile_tasks.hpp"

#include <algorithm>
#include <limits>

#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// The number of runs, of which the fastest one counts.
constexpr int runs = 5;

/// Returns the seconds of each task on the slowest rank. Collective.
std::vector<double> task_seconds(MPI_Comm communicator, const group::Program& program,
                                 const std::vector<group::StepTimes>& times) {
  std::vector<double> seconds(static_cast<std::size_t>(program.task_count()), 0.0);
  for (const group::StepTimes& step : times)
    if (step.task >= 0) seconds[static_cast<std::size_t>(step.task)] = step.end - step.begin;
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX,
                communicator);
  return seconds;
}

}  // namespace

MeasuredTasks profile_tasks(MPI_Comm communicator, const group::Program& program, const Target& target,
                            const group::ProgramBindings& bindings, const Transport& transport) {
  const int all = ranks_of(communicator);
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const group::ProgramBindings unwritten{bindings.sources, {}};
  MeasuredTasks measured;
  for (int ranks = 1; ranks <= all; ranks = ranks < all ? std::min(2 * ranks, all) : all + 1) {
    std::unique_ptr<group::ProgramInstance> instance;
    group::ProgramPlan plan;
    collectively(communicator, [&] {
      plan =
          group::ProgramPlanner(program, group::data_parallel_groups(program, ranks), target, all).plan(rank);
    });
    instance = std::make_unique<group::ProgramInstance>(program, std::move(plan), communicator, transport);
    std::vector<double> fastest(static_cast<std::size_t>(program.task_count()),
                                std::numeric_limits<double>::infinity());
    for (int run = 0; run < runs; ++run) {
      instance->run(unwritten);
      const std::vector<double> seconds = task_seconds(communicator, program, instance->times());
      for (std::size_t i = 0; i < fastest.size(); ++i) fastest[i] = std::min(fastest[i], seconds[i]);
    }
    for (std::size_t i = 0; i < fastest.size(); ++i)
      measured[program.tasks()[i].name].push_back({ranks, fastest[i]});
  }
  return measured;
}

}  // namespace tessera::app
