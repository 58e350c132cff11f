// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/task_of_stages.hpp"
#include "tessera/pipeline/planner/array_domains.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace tessera::group {
namespace {

/// Makes the pipelines of tasks out of one pipeline.
class Cutter {
 public:
  Cutter(const Algorithm& pipeline, const Schedule& schedule, StageTasks tasks)
      : pipeline_(pipeline),
        schedule_(schedule),
        tasks_(std::move(tasks)),
        domains_(array_domains(pipeline)),
        is_read_elsewhere_(domains_.size(), false) {
    for (int id = 0; id < pipeline.size(); ++id)
      for (int input : pipeline.arrays()[index(id)].inputs)
        if (producer_of(input, id) >= 0 && producer_of(input, id) != tasks_.task_of[index(id)])
          is_read_elsewhere_[index(input)] = true;
  }

  Program program();

 private:
  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  /// Returns the loop that changes an array from turn to turn, or null.
  const LoopDeclaration* loop_feeding(int id) const;
  /// Returns the task that computes those values of `array` that the stage `reader` reads; -1 if they are
  /// those of an input of the pipeline. An input that a loop has changed is computed by the task of the loop.
  int producer_of(int array, int reader) const;
  /// Returns the task from which the task `task` gets `array`, which it does not compute; -1 if the array is
  /// an input of the pipeline.
  int producer_for(int task, int array) const;
  /// Returns the ids of the arrays that a task computes or reads.
  std::vector<int> arrays_of(int task) const;
  bool is_own(int task, int id) const { return tasks_.task_of[index(id)] == task; }
  ArrayDeclaration declaration(int task, int id) const;
  Algorithm pipeline_of(int task) const;
  std::vector<LoopDeclaration> loops_of(int task, const std::vector<int>& place) const;
  Schedule schedule_of(const Algorithm& part) const;
  void connect(Program& program, int task) const;

  const Algorithm& pipeline_;
  const Schedule& schedule_;
  const StageTasks tasks_;
  const std::vector<ArrayDomain> domains_;
  /// Whether a task reads the array that does not compute it.
  std::vector<bool> is_read_elsewhere_;
};

const LoopDeclaration* Cutter::loop_feeding(int id) const {
  for (const LoopDeclaration& loop : pipeline_.loops())
    if (loop.feed_to(id) != nullptr) return &loop;
  return nullptr;
}

int Cutter::producer_of(int array, int reader) const {
  const LoopDeclaration* loop = loop_feeding(array);
  if (loop == nullptr) return tasks_.task_of[index(array)];
  const int task = tasks_.task_of[index(loop->first)];
  const bool is_before = reader < loop->first;
  if (is_before && !pipeline_[array].is_input() && tasks_.task_of[index(reader)] != task)
    throw InputError(
        fmt::format("the stage '{}' reads '{}' before the loop '{}' changes it: put it into the task '{}'",
                    pipeline_[reader].name, pipeline_[array].name, loop->name, tasks_.names[index(task)]));
  return is_before && pipeline_[array].is_input() ? -1 : task;
}

int Cutter::producer_for(int task, int array) const {
  std::set<int> producers;
  for (int reader = 0; reader < pipeline_.size(); ++reader)
    if (is_own(task, reader) && std::ranges::count(pipeline_[reader].inputs, array) > 0)
      producers.insert(producer_of(array, reader));
  if (producers.size() > 1)
    throw InputError(
        fmt::format("the task '{}' reads '{}' before and after a loop changes it: make two tasks of it",
                    tasks_.names[index(task)], pipeline_[array].name));
  return *producers.begin();
}

std::vector<int> Cutter::arrays_of(int task) const {
  std::set<int> arrays;
  for (int id = 0; id < pipeline_.size(); ++id) {
    if (!is_own(task, id)) continue;
    arrays.insert(id);
    arrays.insert(pipeline_[id].inputs.begin(), pipeline_[id].inputs.end());
  }
  for (const LoopDeclaration& loop : pipeline_.loops())
    for (const LoopDeclaration::Feed& feed : loop.feeds)
      if (is_own(task, loop.first)) arrays.insert(feed.to);
  return {arrays.begin(), arrays.end()};
}

ArrayDeclaration Cutter::declaration(int task, int id) const {
  ArrayDeclaration array = pipeline_[id];
  const LoopDeclaration* loop = array.is_input() ? loop_feeding(id) : nullptr;
  const bool computes = is_own(task, id) || (loop != nullptr && is_own(task, loop->first));
  const bool keeps_domain = array.ends_at_domain() || array.is_everywhere();
  if (computes) {
    array.is_output = array.is_output || is_read_elsewhere_[index(id)];
    if (array.is_output && !keeps_domain) array.domain = domains_[index(id)].domain;
    return array;
  }
  ArrayDeclaration input;
  input.name = array.name;
  input.type = array.type;
  input.dimensions = array.dimensions;
  input.domain = keeps_domain ? array.domain : domains_[index(id)].domain;
  if (array.ends_at_domain()) input.boundary = array.boundary;
  return input;
}

std::vector<LoopDeclaration> Cutter::loops_of(int task, const std::vector<int>& place) const {
  std::vector<LoopDeclaration> loops;
  for (LoopDeclaration loop : pipeline_.loops()) {
    if (!is_own(task, loop.first)) continue;
    loop.last = place[index(loop.last - 1)] + 1;
    loop.first = place[index(loop.first)];
    if (loop.condition >= 0) loop.condition = place[index(loop.condition)];
    for (int& residual : loop.residuals) residual = place[index(residual)];
    for (LoopDeclaration::Feed& feed : loop.feeds) feed = {place[index(feed.from)], place[index(feed.to)]};
    loops.push_back(std::move(loop));
  }
  return loops;
}

Algorithm Cutter::pipeline_of(int task) const {
  std::vector<ArrayDeclaration> arrays;
  std::vector<int> place(domains_.size(), -1);
  for (int id : arrays_of(task)) {
    place[index(id)] = static_cast<int>(arrays.size());
    ArrayDeclaration array = declaration(task, id);
    array.lead =
        array.kernel == nullptr && !array.is_further_output ? place[index(id)] : place[index(array.lead)];
    for (int& input : array.inputs) input = place[index(input)];
    arrays.push_back(std::move(array));
  }
  std::vector<FusableGroup> groups;
  for (FusableGroup group : pipeline_.groups()) {
    if (!std::ranges::all_of(group.stages, [&](int stage) { return is_own(task, stage); })) continue;
    for (int& stage : group.stages) stage = place[index(stage)];
    groups.push_back(std::move(group));
  }
  return {std::move(arrays), loops_of(task, place), std::move(groups)};
}

Schedule Cutter::schedule_of(const Algorithm& part) const {
  Schedule schedule = schedule_;
  std::erase_if(schedule.stages, [&](const auto& stage) {
    const auto same = [&](const ArrayDeclaration& array) { return array.name == stage.first; };
    const auto found = std::ranges::find_if(part.arrays(), same);
    return found == part.arrays().end() ||
           (found->is_input() && !pipeline_[pipeline_.find(stage.first)].is_input());
  });
  std::erase_if(schedule.loops, [&](const auto& loop) {
    return std::ranges::find(part.loops(), loop.first, &LoopDeclaration::name) == part.loops().end();
  });
  for (const ArrayDeclaration& array : part.arrays()) {
    const auto found = schedule.stages.find(part[array.lead].name);
    if (!array.is_output || found == schedule.stages.end()) continue;
    Placement& placement = found->second.placement;
    if (is_read_elsewhere_[index(pipeline_.find(array.name))] && placement != Placement::automatic)
      placement = Placement::distributed;
  }
  return schedule;
}

void Cutter::connect(Program& program, int task) const {
  const std::string& name = tasks_.names[index(task)];
  for (int id : arrays_of(task)) {
    const std::string& array = pipeline_[id].name;
    const LoopDeclaration* loop = loop_feeding(id);
    const bool is_fed_here = loop != nullptr && is_own(task, loop->first);
    if (!is_own(task, id)) {
      const int producer = is_fed_here ? -1 : producer_for(task, id);
      if (producer < 0)
        program.input(array, name, array);
      else
        program.connect(tasks_.names[index(producer)], array, name, array);
    }
    if (pipeline_[id].is_output && (is_own(task, id) || is_fed_here))
      program.output(array, name, array, pipeline_[id].domain);
  }
}

Program Cutter::program() {
  Program program;
  const int count = static_cast<int>(tasks_.names.size());
  for (int task = 0; task < count; ++task) {
    const Algorithm part = pipeline_of(task);
    Rounds rounds = in_rounds(part, schedule_of(part));
    program.add(tasks_.names[index(task)], std::move(rounds.pipeline), std::move(rounds.schedule));
  }
  for (int task = 0; task < count; ++task) connect(program, task);
  program.check();
  return program;
}

}  // namespace

Program cut(const Algorithm& pipeline, const Schedule& schedule, const std::vector<TaskStages>& tasks) {
  return Cutter(pipeline, schedule, tasks_of_stages(pipeline, tasks)).program();
}

}  // namespace tessera::group
