// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/profile.hpp"

#include <algorithm>
#include <limits>

#include "tessera/view/collectively.hpp"

namespace tessera::group {
namespace {

/// Returns the seconds of each task in the last run, on the slowest rank. Collective.
std::vector<double> task_seconds(MPI_Comm communicator, const Program& program,
                                 const ProgramInstance& instance) {
  std::vector<double> seconds(static_cast<std::size_t>(program.task_count()), 0.0);
  for (const StepTimes& step : instance.times())
    if (step.task >= 0) seconds[static_cast<std::size_t>(step.task)] = step.end - step.begin;
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX,
                communicator);
  return seconds;
}

/// Returns the least seconds of each task in some runs on the first `ranks` ranks. Collective over all ranks.
std::vector<double> least_seconds(MPI_Comm communicator, const Program& program, const Target& target,
                                  int ranks, const ProgramBindings& bindings, int runs,
                                  const Transport& transport) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  ProgramPlan plan;
  collectively(communicator, [&] {
    plan =
        ProgramPlanner(program, data_parallel_groups(program, ranks), target, tessera::ranks_of(communicator))
            .plan(rank);
  });
  ProgramInstance instance(program, std::move(plan), communicator, transport);
  std::vector<double> least(static_cast<std::size_t>(program.task_count()),
                            std::numeric_limits<double>::infinity());
  for (int run = 0; run < runs; ++run) {
    instance.run({bindings.sources, {}});
    const std::vector<double> seconds = task_seconds(communicator, program, instance);
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], seconds[i]);
  }
  return least;
}

}  // namespace

std::vector<std::vector<cost::TimedRanks>> profile(MPI_Comm communicator, const Program& program,
                                                   const Target& target, const ProgramBindings& bindings,
                                                   int runs, const Transport& transport) {
  std::vector<std::vector<cost::TimedRanks>> times(static_cast<std::size_t>(program.task_count()));
  for (int ranks : cost::doubling_counts(tessera::ranks_of(communicator))) {
    const std::vector<double> seconds =
        least_seconds(communicator, program, target, ranks, bindings, runs, transport);
    for (std::size_t i = 0; i < times.size(); ++i) times[i].push_back({ranks, seconds[i]});
  }
  return times;
}

}  // namespace tessera::group
