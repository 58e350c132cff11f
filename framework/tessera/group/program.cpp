// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::group {
namespace {

/// Returns the names of those arrays of a pipeline that `is_wanted` accepts.
template <class Wanted>
std::vector<std::string> names_where(const Algorithm& pipeline, const Wanted& is_wanted) {
  std::vector<std::string> names;
  for (const ArrayDeclaration& array : pipeline.arrays())
    if (is_wanted(array)) names.push_back(array.name);
  return names;
}

/// Returns the id of the array `name` if `is_wanted` accepts it. Throws InputError otherwise. `kind` is the
/// word for such arrays.
template <class Wanted>
ArrayId find_array(const ProgramTask& task, std::string_view name, std::string_view kind,
                   const Wanted& is_wanted) {
  for (ArrayId id : task.pipeline.ids())
    if (task.pipeline[id].name == name && is_wanted(task.pipeline[id])) return id;
  throw InputError(fmt::format("the task '{}' has no {} '{}'{}", task.name, kind, name,
                               suggestion(name, names_where(task.pipeline, is_wanted))));
}

bool is_input(const ArrayDeclaration& array) { return array.is_input(); }
bool is_output(const ArrayDeclaration& array) { return array.is_output; }

/// Returns a cycle of tasks in the form "a -> b -> a (a.x, b.y)", where a.x and b.y are the arrays that
/// travel.
std::string cycle_text(const Program& program, const std::vector<TaskId>& cycle) {
  std::string text = program.task(cycle.front()).name, edges;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const TaskId next = cycle[(i + 1) % cycle.size()];
    text += " -> " + program.task(next).name;
    const auto travels = [&](const ProgramArray& array) {
      return array.producer.task == cycle[i] &&
             std::ranges::find(array.uses, next, &Port::task) != array.uses.end();
    };
    edges += (edges.empty() ? "" : ", ") + std::ranges::find_if(program.arrays(), travels)->name;
  }
  return fmt::format("{} ({})", text, edges);
}

}  // namespace

TaskId Program::add(std::string name, Algorithm pipeline, Schedule schedule) {
  for (const ProgramTask& other : tasks_)
    if (other.name == name) throw InputError(fmt::format("the program has two tasks '{}'", name));
  return tasks_.push_back({std::move(name), std::move(pipeline), std::move(schedule)});
}

TaskId Program::find_task(std::string_view name) const {
  std::vector<std::string> names;
  for (const TaskId number : tasks_.ids()) {
    if (task(number).name == name) return number;
    names.push_back(task(number).name);
  }
  throw InputError(fmt::format("the program has no task '{}'{}", name, suggestion(name, names)));
}

Port Program::find_output(std::string_view name, std::string_view output) const {
  const TaskId number = find_task(name);
  return {number, find_array(task(number), output, "output", is_output)};
}

Port Program::find_input(std::string_view name, std::string_view input) const {
  const TaskId number = find_task(name);
  return {number, find_array(task(number), input, "input", is_input)};
}

std::string Program::name_of(const Port& port) const {
  const ProgramTask& owner = task(port.task);
  return fmt::format("{}.{}", owner.name, owner.pipeline[port.array].name);
}

int Program::read_at(const Port& input) const {
  const auto found = std::ranges::find_if(arrays_, [&](const ProgramArray& array) {
    return std::ranges::find(array.uses, input) != array.uses.end();
  });
  return found == arrays_.end() ? -1 : static_cast<int>(found - arrays_.begin());
}

int Program::computed_at(const Port& output) const {
  const auto found = std::ranges::find(arrays_, output, &ProgramArray::producer);
  return found == arrays_.end() ? -1 : static_cast<int>(found - arrays_.begin());
}

int Program::add_computed(const Port& producer) {
  if (const int known = computed_at(producer); known >= 0) return known;
  const ArrayDeclaration& declared = task(producer.task).pipeline[producer.array];
  ProgramArray array;
  array.name = name_of(producer);
  array.type = declared.type;
  array.domain = declared.domain;
  array.producer = producer;
  return arrays_.push_back(std::move(array));
}

void Program::use(ProgramArray& array, const Port& port) {
  const ArrayDeclaration& declared = task(port.task).pipeline[port.array];
  if (const int other = read_at(port); other >= 0)
    throw InputError(fmt::format("the input '{}' has two producers: '{}' and '{}'", name_of(port),
                                 this->array(other).name, array.name));
  if (declared.type != array.type)
    throw InputError(fmt::format("the input '{}' is {}, but '{}' is {}", name_of(port),
                                 tessera::name_of(declared.type), array.name, tessera::name_of(array.type)));
  if (!(declared.domain == array.domain))
    throw InputError(fmt::format("the input '{}' has the points {}, but '{}' has the points {}",
                                 name_of(port), to_string(declared.domain), array.name,
                                 to_string(array.domain)));
  array.uses.push_back(port);
}

void Program::connect(std::string_view from, std::string_view output, std::string_view to,
                      std::string_view input) {
  const Port producer = find_output(from, output), user = find_input(to, input);
  use(arrays_[add_computed(producer)], user);
}

void Program::input(std::string_view name, std::string_view to, std::string_view input) {
  const Port user = find_input(to, input);
  auto found = std::ranges::find_if(
      arrays_, [&](const ProgramArray& array) { return array.is_input() && array.name == name; });
  if (found == arrays_.end()) {
    const ArrayDeclaration& declared = task(user.task).pipeline[user.array];
    ProgramArray array;
    array.name = std::string(name);
    array.type = declared.type;
    array.domain = declared.domain;
    arrays_.push_back(std::move(array));
    found = arrays_.end() - 1;
  }
  use(*found, user);
}

void Program::output(std::string_view name, std::string_view from, std::string_view output,
                     const Box& written) {
  const Port producer = find_output(from, output);
  for (const ProgramArray& other : arrays_)
    if (other.output == name) throw InputError(fmt::format("the program has two outputs '{}'", name));
  ProgramArray& array = arrays_[add_computed(producer)];
  if (!array.output.empty())
    throw InputError(fmt::format("'{}' is an output of the program already: '{}'", array.name, array.output));
  if (!array.domain.contains(written))
    throw InputError(fmt::format("the output '{}' of the program is {}, but '{}' has only {}", name,
                                 to_string(written), array.name, to_string(array.domain)));
  array.output = std::string(name);
  array.written = written.dimensions == 0 ? array.domain : written;
}

IdVector<TaskId, std::vector<TaskId>> Program::predecessors() const {
  IdVector<TaskId, std::vector<TaskId>> before(tasks_.size());
  for (const ProgramArray& array : arrays_)
    for (const Port& port : array.uses)
      if (!array.is_input()) before[port.task].push_back(array.producer.task);
  return before;
}

std::vector<TaskId> Program::order() const {
  detail::TaskOrder order = detail::task_order(predecessors());
  if (!order.cycle.empty())
    throw InputError(fmt::format("the program has a cycle: {}; no task may depend on itself",
                                 cycle_text(*this, order.cycle)));
  return std::move(order.tasks);
}

void Program::check() const {
  if (tasks_.empty()) throw InputError("the program has no tasks");
  for (const TaskId number : tasks_.ids()) {
    const Algorithm& pipeline = task(number).pipeline;
    for (ArrayId id : pipeline.ids()) {
      const Port port{number, id};
      if (pipeline[id].is_input() && read_at(port) < 0)
        throw InputError(
            fmt::format("the input '{}' is not connected: connect it to an output of another task, or to an "
                        "input of the program",
                        name_of(port)));
      if (pipeline[id].is_output && computed_at(port) < 0)
        throw InputError(
            fmt::format("no task reads '{}', and it is no output of the program: connect it or leave it out",
                        name_of(port)));
    }
  }
  static_cast<void>(order());
}

TaskGraph task_graph(const Program& program, const std::vector<cost::TaskCost>& costs) {
  std::vector<Task> tasks;
  for (const ProgramTask& task : program.tasks())
    tasks.push_back({task.name, costs[tasks.size()], task.name, std::nullopt});
  std::vector<Edge> edges;
  for (const ProgramArray& array : program.arrays())
    for (const Port& use : array.uses)
      if (!array.is_input())
        edges.push_back(
            {array.producer.task, use.task, array.name, array.domain.size() * array.element_bytes()});
  return {std::move(tasks), std::move(edges)};
}

}  // namespace tessera::group
