// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/task_of_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::group {
namespace {

/// Assigns the stages of a pipeline to tasks. A *unit* is a set of stages that cannot be in different tasks.
/// It has the number of its first stage, and stages the ids of their first outputs.
class StageAssignment {
 public:
  StageAssignment(const Algorithm& pipeline, const std::vector<TaskStages>& tasks);
  StageTasks assign();

 private:
  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  int unit_of(int id) const { return unit_[index(pipeline_[id].lead)]; }
  bool is_stage(int id) const { return !pipeline_[id].is_input() && pipeline_[id].lead == id; }
  void unite(int a, int b);
  void unite_loops();
  /// Finds out which units depend on which, and unites those that depend on each other.
  void find_dependences();
  void name_stages(const std::vector<TaskStages>& tasks);
  /// Makes a task of each loop that no task names.
  void name_loops();
  /// Adds a task, and returns its number. If another task has the name already, the name gets an ending.
  int add_task(std::string name);
  void name_unit(int id, int task);
  /// Gives the task `task` to all units on ways between its units.
  void fill(int task);
  /// Returns the tasks that a unit depends on.
  std::set<int> tasks_before(int unit) const;
  bool reaches(int from, int to) const { return reaches_[index(from)][index(to)]; }

  const Algorithm& pipeline_;
  /// The unit of each stage.
  std::vector<int> unit_;
  /// The task of each unit; -1 if it has none yet.
  std::vector<int> task_;
  /// Whether the second unit depends on the first one.
  std::vector<std::vector<bool>> reaches_;
  std::vector<std::string> names_;
};

StageAssignment::StageAssignment(const Algorithm& pipeline, const std::vector<TaskStages>& tasks)
    : pipeline_(pipeline), task_(index(pipeline.size()), -1) {
  for (int id = 0; id < pipeline.size(); ++id) unit_.push_back(id);
  unite_loops();
  find_dependences();
  name_stages(tasks);
  name_loops();
}

void StageAssignment::unite(int a, int b) {
  const int from = std::max(unit_of(a), unit_of(b)), to = std::min(unit_of(a), unit_of(b));
  std::ranges::replace(unit_, from, to);
}

void StageAssignment::unite_loops() {
  for (const LoopDeclaration& loop : pipeline_.loops()) {
    for (int id = loop.first; id < loop.last; ++id) unite(loop.first, id);
    for (const LoopDeclaration::Feed& feed : loop.feeds)
      if (!pipeline_[feed.to].is_input()) unite(loop.first, feed.to);
  }
}

void StageAssignment::find_dependences() {
  const auto count = index(pipeline_.size());
  for (bool has_united = true; has_united;) {
    has_united = false;
    reaches_.assign(count, std::vector<bool>(count, false));
    for (int id = 0; id < pipeline_.size(); ++id)
      for (int input : pipeline_[id].inputs)
        if (!pipeline_[input].is_input()) reaches_[index(unit_of(input))][index(unit_of(id))] = true;
    for (const LoopDeclaration& loop : pipeline_.loops())
      for (int id = loop.last; id < pipeline_.size(); ++id)
        for (int input : pipeline_[id].inputs)
          if (loop.feed_to(input) != nullptr) reaches_[index(unit_of(loop.first))][index(unit_of(id))] = true;
    for (std::size_t by = 0; by < count; ++by)
      for (std::size_t from = 0; from < count; ++from)
        for (std::size_t to = 0; reaches_[from][by] && to < count; ++to)
          if (reaches_[by][to]) reaches_[from][to] = true;
    for (int a = 0; a < pipeline_.size(); ++a)
      for (int b = 0; b < a; ++b)
        if (unit_of(a) != unit_of(b) && reaches(unit_of(a), unit_of(b)) && reaches(unit_of(b), unit_of(a))) {
          unite(a, b);
          has_united = true;
        }
  }
}

void StageAssignment::name_unit(int id, int task) {
  int& given = task_[index(unit_of(id))];
  if (given == task) return;
  if (given >= 0)
    throw InputError(fmt::format(
        "the stage '{}' cannot be in the task '{}': it, or a stage of the same loop, is in the task '{}'",
        pipeline_[id].name, names_[index(task)], names_[index(given)]));
  given = task;
}

void StageAssignment::name_stages(const std::vector<TaskStages>& tasks) {
  std::vector<std::string> stages;
  for (const ArrayDeclaration& array : pipeline_.arrays())
    if (!array.is_input()) stages.push_back(array.name);
  for (const TaskStages& task : tasks) {
    if (std::ranges::find(names_, task.task) != names_.end())
      throw InputError(fmt::format("there are two tasks '{}'", task.task));
    if (task.stages.empty()) throw InputError(fmt::format("the task '{}' has no stages", task.task));
    names_.push_back(task.task);
    for (const std::string& name : task.stages) {
      if (std::ranges::find(stages, name) == stages.end())
        throw InputError(fmt::format("the task '{}' names '{}', which is no stage of the pipeline{}",
                                     task.task, name, suggestion(name, stages)));
      name_unit(pipeline_.find(name), static_cast<int>(names_.size()) - 1);
    }
  }
}

int StageAssignment::add_task(std::string name) {
  while (std::ranges::find(names_, name) != names_.end()) name += "_stage";
  names_.push_back(std::move(name));
  return static_cast<int>(names_.size()) - 1;
}

void StageAssignment::name_loops() {
  for (const LoopDeclaration& loop : pipeline_.loops())
    if (int& task = task_[index(unit_of(loop.first))]; task < 0) task = add_task(loop.name);
}

void StageAssignment::fill(int task) {
  std::vector<int> named;
  for (int id = 0; id < pipeline_.size(); ++id)
    if (is_stage(id) && task_[index(unit_of(id))] == task) named.push_back(unit_of(id));
  for (int id = 0; id < pipeline_.size(); ++id) {
    if (!is_stage(id) || task_[index(unit_of(id))] >= 0) continue;
    const int unit = unit_of(id);
    if (std::ranges::any_of(named, [&](int one) { return reaches(one, unit); }) &&
        std::ranges::any_of(named, [&](int one) { return reaches(unit, one); }))
      task_[index(unit)] = task;
  }
}

std::set<int> StageAssignment::tasks_before(int unit) const {
  std::set<int> before;
  for (int id = 0; id < pipeline_.size(); ++id)
    if (is_stage(id) && task_[index(unit_of(id))] >= 0 && reaches(unit_of(id), unit))
      before.insert(task_[index(unit_of(id))]);
  return before;
}

StageTasks StageAssignment::assign() {
  for (int task = 0; task < static_cast<int>(names_.size()); ++task) fill(task);
  std::vector<std::set<int>> before(task_.size());
  for (int id = 0; id < pipeline_.size(); ++id)
    if (is_stage(id)) before[index(unit_of(id))] = tasks_before(unit_of(id));
  std::map<std::set<int>, std::vector<int>> further;
  for (int id = 0; id < pipeline_.size(); ++id) {
    if (!is_stage(id) || task_[index(unit_of(id))] >= 0) continue;
    further[before[index(unit_of(id))]].push_back(id);
  }
  for (const auto& [tasks, stages] : further) {
    const int task = add_task(pipeline_[stages.back()].name);
    for (int id : stages) task_[index(unit_of(id))] = task;
  }
  StageTasks result{names_, {}};
  for (int id = 0; id < pipeline_.size(); ++id)
    result.task_of.push_back(pipeline_[id].is_input() ? -1 : task_[index(unit_of(id))]);
  return result;
}

}  // namespace

StageTasks tasks_of_stages(const Algorithm& pipeline, const std::vector<TaskStages>& tasks) {
  return StageAssignment(pipeline, tasks).assign();
}

}  // namespace tessera::group
