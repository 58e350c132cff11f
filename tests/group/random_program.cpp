// SPDX-License-Identifier: BSD-3-Clause
#include "group/random_program.hpp"

#include <algorithm>
#include <numeric>

#include "tessera/domain/error.hpp"

namespace tessera::test {
namespace {

std::optional<group::Program> cut_or_nothing(const Algorithm& pipeline, const Schedule& schedule,
                                             const std::vector<group::TaskStages>& tasks) {
  try {
    return group::cut(pipeline, schedule, tasks);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

std::string RandomProgram::text() const {
  std::string text = graph.text;
  for (const group::ScheduledTask& task : schedule.tasks) {
    text.append("; ").append(program.task(task.task).name).append(" on");
    for (int rank : task.ranks) text.append(" ").append(std::to_string(rank));
  }
  return text + " of " + std::to_string(ranks);
}

std::vector<group::TaskStages> random_tasks(Random& random, const Algorithm& pipeline) {
  std::vector<group::TaskStages> tasks;
  const int count = random.small(1, 5);
  for (int i = 0; i < count; ++i) tasks.push_back({"task" + std::to_string(i), {}});
  for (const ArrayDeclaration& array : pipeline.arrays())
    if (!array.is_input() && !array.is_further_output() && random.chance(70))
      tasks[static_cast<std::size_t>(random.small(0, count - 1))].stages.push_back(array.name);
  std::erase_if(tasks, [](const group::TaskStages& task) { return task.stages.empty(); });
  return tasks;
}

group::GroupSchedule random_groups(Random& random, const group::Program& program, int ranks) {
  group::GroupSchedule schedule;
  schedule.ranks = ranks;
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  for (const group::TaskId task : program.order()) {
    for (std::size_t i = all.size(); i > 1; --i)
      std::swap(all[i - 1], all[static_cast<std::size_t>(random.small(0, static_cast<int>(i) - 1))]);
    const auto end = all.begin() + random.small(1, ranks);
    const auto start = static_cast<double>(schedule.tasks.size());
    schedule.tasks.push_back({task, {all.begin(), end}, start, start});
  }
  return schedule;
}

RandomProgram random_program(Random& random, int ranks) {
  for (;;) {
    RandomProgram sample;
    sample.graph = random_mixed_graph(random, false, random.small(2, 12));
    Schedule schedule = random_mixed_schedule(random, sample.graph.pipeline, 1);
    // Groups have different numbers of ranks, so that no fixed grid fits all of them.
    schedule.grid = {};
    for (auto& [name, stage] : schedule.stages) stage.grid.reset();
    auto program =
        cut_or_nothing(sample.graph.pipeline, schedule, random_tasks(random, sample.graph.pipeline));
    if (!program) continue;
    sample.program = std::move(*program);
    sample.ranks = ranks;
    sample.target.threads = random.small(1, 3);
    sample.schedule = random_groups(random, sample.program, ranks);
    return sample;
  }
}

group::ProgramBindings program_bindings(const MixedBindings& bindings) {
  group::ProgramBindings result;
  for (const auto& [name, source] : bindings.bindings.sources) result.sources[name] = source;
  for (const auto& [name, sink] : bindings.bindings.sinks) result.sinks[name] = sink;
  return result;
}

}  // namespace tessera::test
