// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/group/program.hpp"
#include "tessera/pipeline/planner/array_domains.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace tessera::group {
namespace {

/// The tasks that a pipeline is cut into.
struct StageTasks {
  /// The names of the tasks.
  IdVector<TaskId, std::string> names;
  /// The task of each array of the pipeline; start_task for its inputs.
  IdVector<ArrayId, TaskId> task_of;
};

/// Assigns the stages of a pipeline to tasks. A *unit* is a set of stages that cannot be in different tasks.
/// The number of a unit is that of its first stage, and the number of a stage is the id of its first output.
class StageAssignment {
 public:
  StageAssignment(const Algorithm& pipeline, const std::vector<TaskStages>& tasks)
      : pipeline_(pipeline), task_(pipeline.size(), no_task) {
    for (ArrayId id : pipeline.ids()) unit_.push_back(id);
    unite_loops();
    find_dependences();
    assign_named_stages(tasks);
    assign_other_loops();
  }

  StageTasks assign() {
    for (const TaskId task : names_.ids()) fill(task);
    // The other stages form a task for each set of tasks that they depend on.
    std::map<std::set<TaskId>, std::vector<ArrayId>> further;
    for (ArrayId id : pipeline_.ids())
      if (is_stage(id) && task_of(id) == no_task) further[tasks_before(unit_of(id))].push_back(id);
    for (const auto& [tasks, stages] : further) {
      const TaskId task = add_task(pipeline_[stages.back()].name);
      for (ArrayId id : stages) task_of(id) = task;
    }
    StageTasks result{names_, {}};
    for (ArrayId id : pipeline_.ids())
      result.task_of.push_back(pipeline_[id].is_input() ? start_task : task_of(id));
    return result;
  }

 private:
  static constexpr TaskId no_task{-1};

  ArrayId unit_of(ArrayId id) const { return unit_[pipeline_[id].lead]; }
  bool is_stage(ArrayId id) const { return !pipeline_[id].is_input() && pipeline_[id].lead == id; }
  /// The task of a stage, or no_task.
  TaskId& task_of(ArrayId id) { return task_[unit_of(id)]; }
  bool reaches(ArrayId from, ArrayId to) const { return reaches_[from][to]; }

  void unite(ArrayId a, ArrayId b) {
    const ArrayId from = std::max(unit_of(a), unit_of(b)), to = std::min(unit_of(a), unit_of(b));
    std::ranges::replace(unit_, from, to);
  }

  /// Unites the stages of each loop, and those that it feeds.
  void unite_loops() {
    for (const LoopDeclaration& loop : pipeline_.loops()) {
      for (ArrayId id : loop.arrays()) unite(loop.first, id);
      for (const LoopDeclaration::Feed& feed : loop.feeds)
        if (!pipeline_[feed.to].is_input()) unite(loop.first, feed.to);
    }
  }

  /// Finds the units that each unit depends on, and unites units that depend on each other.
  void find_dependences() {
    for (bool has_united = true; has_united;) {
      find_reached();
      has_united = false;
      for (ArrayId a : pipeline_.ids())
        for (ArrayId b : IdRange(ArrayId{0}, a))
          if (unit_of(a) != unit_of(b) && reaches(unit_of(a), unit_of(b)) &&
              reaches(unit_of(b), unit_of(a))) {
            unite(a, b);
            has_united = true;
          }
    }
  }

  /// Finds the units that depend on each unit, directly or through other units.
  void find_reached() {
    reaches_.values().assign(unit_.size(), IdVector<ArrayId, bool>(unit_.size(), false));
    for (ArrayId id : pipeline_.ids())
      for (ArrayId input : pipeline_[id].inputs)
        if (!pipeline_[input].is_input()) reaches_[unit_of(input)][unit_of(id)] = true;
    for (const LoopDeclaration& loop : pipeline_.loops())
      for (ArrayId id : IdRange(loop.last, ArrayId{pipeline_.size()}))
        for (ArrayId input : pipeline_[id].inputs)
          if (loop.feed_to(input) != nullptr) reaches_[unit_of(loop.first)][unit_of(id)] = true;
    for (const ArrayId by : unit_.ids())
      for (const ArrayId from : unit_.ids())
        for (const ArrayId to : unit_.ids())
          if (reaches(from, by) && reaches(by, to)) reaches_[from][to] = true;
  }

  /// Gives a task the unit of a stage. Throws InputError if the unit is in another task already.
  void assign_unit(ArrayId id, TaskId task) {
    TaskId& given = task_of(id);
    if (given == task) return;
    if (given != no_task)
      throw InputError(fmt::format(
          "the stage '{}' cannot be in the task '{}': it, or a stage of the same loop, is in the task '{}'",
          pipeline_[id].name, names_[task], names_[given]));
    given = task;
  }

  /// Makes the tasks that are given, and gives them their stages.
  void assign_named_stages(const std::vector<TaskStages>& tasks) {
    std::vector<std::string> stages;
    for (const ArrayDeclaration& array : pipeline_.arrays())
      if (!array.is_input()) stages.push_back(array.name);
    for (const TaskStages& task : tasks) {
      if (std::ranges::find(names_, task.task) != names_.end())
        throw InputError(fmt::format("there are two tasks '{}'", task.task));
      if (task.stages.empty()) throw InputError(fmt::format("the task '{}' has no stages", task.task));
      const TaskId number = names_.push_back(task.task);
      for (const std::string& name : task.stages) {
        if (std::ranges::find(stages, name) == stages.end())
          throw InputError(fmt::format("the task '{}' names '{}', which is no stage of the pipeline{}",
                                       task.task, name, suggestion(name, stages)));
        assign_unit(pipeline_.find(name), number);
      }
    }
  }

  /// Adds a task, and returns its number. If another task has the name already, the name gets an ending.
  TaskId add_task(std::string name) {
    while (std::ranges::find(names_, name) != names_.end()) name += "_stage";
    return names_.push_back(std::move(name));
  }

  /// Makes a task of each loop that has no task yet.
  void assign_other_loops() {
    for (const LoopDeclaration& loop : pipeline_.loops())
      if (task_of(loop.first) == no_task) task_of(loop.first) = add_task(loop.name);
  }

  /// Gives the task `task` all units on paths between its units.
  void fill(TaskId task) {
    std::vector<ArrayId> named;
    for (ArrayId id : pipeline_.ids())
      if (is_stage(id) && task_of(id) == task) named.push_back(unit_of(id));
    for (ArrayId id : pipeline_.ids()) {
      if (!is_stage(id) || task_of(id) != no_task) continue;
      const ArrayId unit = unit_of(id);
      if (std::ranges::any_of(named, [&](ArrayId one) { return reaches(one, unit); }) &&
          std::ranges::any_of(named, [&](ArrayId one) { return reaches(unit, one); }))
        task_[unit] = task;
    }
  }

  /// Returns the tasks that a unit depends on.
  std::set<TaskId> tasks_before(ArrayId unit) {
    std::set<TaskId> before;
    for (ArrayId id : pipeline_.ids())
      if (is_stage(id) && task_of(id) != no_task && reaches(unit_of(id), unit)) before.insert(task_of(id));
    return before;
  }

  const Algorithm& pipeline_;
  /// The unit of each stage.
  IdVector<ArrayId, ArrayId> unit_;
  /// The task of each unit.
  IdVector<ArrayId, TaskId> task_;
  /// reaches_[a][b] is true if the unit b depends on the unit a.
  IdVector<ArrayId, IdVector<ArrayId, bool>> reaches_;
  IdVector<TaskId, std::string> names_;
};

/// Makes the pipelines of tasks out of one pipeline.
class Cutter {
 public:
  Cutter(const Algorithm& pipeline, const Schedule& schedule, StageTasks tasks)
      : pipeline_(pipeline),
        schedule_(schedule),
        tasks_(std::move(tasks)),
        domains_(array_domains(pipeline)),
        is_read_elsewhere_(pipeline.size(), false) {
    for (ArrayId id : pipeline.ids())
      for (ArrayId input : pipeline[id].inputs)
        if (const TaskId task = producer_of(input, id); task != start_task && !is_own(task, id))
          is_read_elsewhere_[input] = true;
  }

  Program program() {
    Program program;
    for (const TaskId task : tasks_.names.ids()) {
      const Algorithm part = pipeline_of(task);
      Rounds rounds = in_rounds(part, schedule_of(part));
      program.add(tasks_.names[task], std::move(rounds.pipeline), std::move(rounds.schedule));
    }
    for (const TaskId task : tasks_.names.ids()) connect(program, task);
    program.check();
    return program;
  }

 private:
  bool is_own(TaskId task, ArrayId id) const { return tasks_.task_of[id] == task; }

  /// Returns the loop that changes an array from iteration to iteration, or null.
  const LoopDeclaration* loop_feeding(ArrayId id) const {
    for (const LoopDeclaration& loop : pipeline_.loops())
      if (loop.feed_to(id) != nullptr) return &loop;
    return nullptr;
  }

  /// Returns the task that computes the values of `array` that the stage `reader` reads; start_task if they
  /// are the values of an input of the pipeline. The task of a loop computes an input that the loop has
  /// changed.
  TaskId producer_of(ArrayId array, ArrayId reader) const {
    const LoopDeclaration* loop = loop_feeding(array);
    if (loop == nullptr) return tasks_.task_of[array];
    const TaskId task = tasks_.task_of[loop->first];
    const bool is_before = reader < loop->first;
    if (is_before && !pipeline_[array].is_input() && !is_own(task, reader))
      throw InputError(
          fmt::format("the stage '{}' reads '{}' before the loop '{}' changes it: put it into the task '{}'",
                      pipeline_[reader].name, pipeline_[array].name, loop->name, tasks_.names[task]));
    return is_before && pipeline_[array].is_input() ? start_task : task;
  }

  /// Returns the task that gives `array` to the task `task`, which does not compute it; start_task if the
  /// array is an input of the pipeline.
  TaskId producer_for(TaskId task, ArrayId array) const {
    std::set<TaskId> producers;
    for (ArrayId reader : pipeline_.ids())
      if (is_own(task, reader) && std::ranges::count(pipeline_[reader].inputs, array) > 0)
        producers.insert(producer_of(array, reader));
    if (producers.size() > 1)
      throw InputError(
          fmt::format("the task '{}' reads '{}' before and after a loop changes it: make two tasks of it",
                      tasks_.names[task], pipeline_[array].name));
    return *producers.begin();
  }

  /// Returns the ids of the arrays that a task computes or reads.
  std::set<ArrayId> arrays_of(TaskId task) const {
    std::set<ArrayId> arrays;
    for (ArrayId id : pipeline_.ids()) {
      if (!is_own(task, id)) continue;
      arrays.insert(id);
      arrays.insert(pipeline_[id].inputs.begin(), pipeline_[id].inputs.end());
    }
    for (const LoopDeclaration& loop : pipeline_.loops())
      for (const LoopDeclaration::Feed& feed : loop.feeds)
        if (is_own(task, loop.first)) arrays.insert(feed.to);
    return arrays;
  }

  /// Returns the declaration of an array in the pipeline of a task. An array that the task does not compute
  /// becomes an input.
  ArrayDeclaration declaration(TaskId task, ArrayId id) const {
    ArrayDeclaration array = pipeline_[id];
    const LoopDeclaration* loop = array.is_input() ? loop_feeding(id) : nullptr;
    const bool computes = is_own(task, id) || (loop != nullptr && is_own(task, loop->first));
    const bool keeps_domain = array.ends_at_domain() || array.is_everywhere();
    if (computes) {
      array.is_output = array.is_output || is_read_elsewhere_[id];
      if (array.is_output && !keeps_domain) array.domain = domains_[id].domain;
      return array;
    }
    ArrayDeclaration input;
    input.name = array.name;
    input.type = array.type;
    input.dimensions = array.dimensions;
    input.kind = ArrayKind::input;
    input.domain = keeps_domain ? array.domain : domains_[id].domain;
    if (array.ends_at_domain()) input.boundary = array.boundary;
    return input;
  }

  /// Returns the loops of a task. `place` has the ids of arrays in the pipeline of the task.
  std::vector<LoopDeclaration> loops_of(TaskId task, const IdVector<ArrayId, ArrayId>& place) const {
    std::vector<LoopDeclaration> loops;
    for (LoopDeclaration loop : pipeline_.loops()) {
      if (!is_own(task, loop.first)) continue;
      loop.last = place[loop.last + (-1)] + 1;
      loop.first = place[loop.first];
      if (loop.condition != no_array) loop.condition = place[loop.condition];
      for (ArrayId& residual : loop.residuals) residual = place[residual];
      for (LoopDeclaration::Feed& feed : loop.feeds) feed = {place[feed.from], place[feed.to]};
      loops.push_back(std::move(loop));
    }
    return loops;
  }

  Algorithm pipeline_of(TaskId task) const {
    IdVector<ArrayId, ArrayDeclaration> arrays;
    IdVector<ArrayId, ArrayId> place(pipeline_.size(), no_array);
    for (ArrayId id : arrays_of(task)) {
      place[id] = ArrayId{arrays.size()};
      ArrayDeclaration array = declaration(task, id);
      array.lead = array.kernel == nullptr && !array.is_further_output() ? place[id] : place[array.lead];
      for (ArrayId& input : array.inputs) input = place[input];
      arrays.push_back(std::move(array));
    }
    std::vector<FusableGroup> groups;
    for (FusableGroup group : pipeline_.groups()) {
      if (!std::ranges::all_of(group.stages, [&](ArrayId stage) { return is_own(task, stage); })) continue;
      for (ArrayId& stage : group.stages) stage = place[stage];
      groups.push_back(std::move(group));
    }
    return {std::move(arrays), loops_of(task, place), std::move(groups)};
  }

  /// Returns the schedule of the whole pipeline for the stages and loops of `part`. Arrays that other tasks
  /// read must be distributed.
  Schedule schedule_of(const Algorithm& part) const {
    Schedule schedule = schedule_;
    std::erase_if(schedule.stages, [&](const auto& stage) {
      const auto found = std::ranges::find(part.arrays(), stage.first, &ArrayDeclaration::name);
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
      if (is_read_elsewhere_[pipeline_.find(array.name)] && placement != Placement::automatic)
        placement = Placement::distributed;
    }
    return schedule;
  }

  /// Connects the inputs and outputs of a task to other tasks, and to the inputs and outputs of the program.
  void connect(Program& program, TaskId task) const {
    const std::string& name = tasks_.names[task];
    for (ArrayId id : arrays_of(task)) {
      const std::string& array = pipeline_[id].name;
      const LoopDeclaration* loop = loop_feeding(id);
      const bool is_fed_here = loop != nullptr && is_own(task, loop->first);
      if (!is_own(task, id)) {
        const TaskId producer = is_fed_here ? start_task : producer_for(task, id);
        if (producer == start_task)
          program.input(array, name, array);
        else
          program.connect(tasks_.names[producer], array, name, array);
      }
      if (pipeline_[id].is_output && (is_own(task, id) || is_fed_here))
        program.output(array, name, array, pipeline_[id].domain);
    }
  }

  const Algorithm& pipeline_;
  const Schedule& schedule_;
  const StageTasks tasks_;
  const IdVector<ArrayId, ArrayDomain> domains_;
  /// True for arrays that another task reads than the one that computes them.
  IdVector<ArrayId, bool> is_read_elsewhere_;
};

}  // namespace

Program cut(const Algorithm& pipeline, const Schedule& schedule, const std::vector<TaskStages>& tasks) {
  return Cutter(pipeline, schedule, StageAssignment(pipeline, tasks).assign()).program();
}

}  // namespace tessera::group
