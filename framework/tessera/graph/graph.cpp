// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/graph/detail/execution.hpp"

namespace tessera::graph {

using detail::Scope;
using detail::TaskDeclaration;
using detail::TaskId;
using detail::TaskKind;

std::string to_string(const Place& place) {
  constexpr const char* names[] = {"threads", "io", "kernels", "numa", "device"};
  const std::string name = names[static_cast<int>(place.kind())];
  const bool has_number = place.kind() == Place::Kind::numa || place.kind() == Place::Kind::device;
  return has_number ? fmt::format("{} {}", name, place.number()) : name;
}

Graph::Graph(std::string name) : declaration_(std::make_unique<detail::Declaration>()) {
  declaration_->name = std::move(name);
}

std::vector<std::string> Graph::task_names() const {
  std::vector<std::string> names;
  for (const TaskDeclaration& task : declaration_->tasks) names.push_back(task.name);
  return names;
}

int Graph::add_pool(std::string name, const PoolOptions& options,
                    std::function<std::shared_ptr<void>()> make) {
  for (const auto& [place, index] : places_) name += fmt::format("[{}]", index);
  return declaration_->pools.push_back(
      {std::make_shared<detail::PoolState>(declaration_->core, std::move(name), options.count,
                                           options.per_item, std::move(make)),
       options.bytes});
}

TaskId Graph::add_task(TaskDeclaration task) {
  if (task.name.empty())
    throw InputError(fmt::format("a {} of graph '{}' has no name", name_of(task.kind), declaration_->name));
  for (const auto& [place, index] : places_) {
    task.name += fmt::format("[{}]", index);
    if (task.options.on == Place::threads()) task.options.on = place;
  }
  const TaskId id{declaration_->tasks.size()};
  if (task.kind == TaskKind::source || task.kind == TaskKind::input) {
    task.region = declaration_->add_region(-1, Scope::Kind::root, id);
  } else if (task.kind != TaskKind::feedback) {
    if (task.inputs.empty()) throw InputError(fmt::format("{} reads no flow: name one or more", title(task)));
    task.region = declaration_->common_region(task.inputs);
    const detail::Region region = declaration_->region(task.region);
    if (task.kind == TaskKind::scatter)
      task.region = declaration_->add_region(task.region, Scope::Kind::group, id);
    if (task.kind == TaskKind::enter)
      task.region = declaration_->add_region(task.region, Scope::Kind::turn, id);
    if (task.kind == TaskKind::gather && region.kind != Scope::Kind::group)
      throw InputError(fmt::format("gather '{}' reads a flow that no scatter emits", task.name));
    if (task.kind == TaskKind::gather) task.region = region.parent;
  }
  return declaration_->add_task(std::move(task));
}

int Graph::add_output(TaskId task, bool several) {
  const TaskDeclaration& declared = declaration_->task(task);
  const TaskId from = declared.inputs.empty() ? detail::no_task : declaration_->several_from(declared.inputs);
  const bool inherits = declared.kind != TaskKind::keeper;
  return declaration_->add_flow(task, declared.region, several ? task : inherits ? from : detail::no_task);
}

int Graph::enter_loop(const std::string& name, const Task& options, int entering) {
  return add_output(
      add_task({.name = name, .kind = TaskKind::enter, .options = options, .inputs = {entering}}), false);
}

int Graph::leave_loop(int turn, int turned, const Task& options,
                      std::function<std::unique_ptr<detail::Body>()> until) {
  const TaskId enter = declaration_->flow(turn).producer;
  const TaskDeclaration& entry = declaration_->task(enter);
  if (declaration_->flow(turned).region != entry.region)
    throw InputError(fmt::format("loop '{}' must return a flow of its own turn", entry.name));
  if (declaration_->flow(turned).has_several() && !declaration_->flow(turn).has_several())
    throw InputError(
        fmt::format("loop '{}' returns several items per stamp: scatter and gather them", entry.name));
  TaskDeclaration task{.name = entry.name,
                       .kind = TaskKind::turn,
                       .options = options,
                       .inputs = {turned},
                       .region = declaration_->region(entry.region).parent,
                       .beginning = enter,
                       .make_body = std::move(until)};
  const TaskId id = declaration_->add_task(std::move(task));
  const int left =
      declaration_->add_flow(id, declaration_->task(id).region, declaration_->flow(turn).several_from);
  declaration_->task(id).outputs.push_back(turn);
  return left;
}

int Graph::add_feedback(std::string name, const Task& options) {
  const TaskId id = add_task({.name = std::move(name), .kind = TaskKind::feedback, .options = options});
  return declaration_->add_flow(id, -1, id);
}

void Graph::close_feedback(int feedback, int flow) {
  const TaskId id = declaration_->flow(feedback).producer;
  TaskDeclaration& task = declaration_->task(id);
  if (task.kind != TaskKind::feedback) throw InputError(fmt::format("'{}' is not a feedback", task.name));
  if (!task.inputs.empty()) throw InputError(fmt::format("feedback '{}' is closed twice", task.name));
  task.inputs.push_back(flow);
  task.region = declaration_->flow(feedback).region = declaration_->flow(flow).region;
  declaration_->flow(flow).readers.push_back({id, 0});
}

int Graph::add_merge(std::string name, const std::vector<int>& flows, TaskId route) {
  TaskDeclaration task{.name = std::move(name), .kind = TaskKind::merge, .inputs = flows, .beginning = route};
  const TaskId id = add_task(std::move(task));
  // Items of one stamp may come from several of the flows, unless a route sends each item one way only.
  const bool is_exclusive = route != detail::no_task && declaration_->task(route).options.single;
  return add_output(id, flows.size() > 1 && !is_exclusive);
}

TaskId Graph::add_route(TaskDeclaration task, int places, bool to_several) {
  if (places == 0) throw InputError(fmt::format("{} has no places: give it one or more", title(task)));
  const TaskId id = add_task(std::move(task));
  for (int place = 0; place < places; ++place) add_output(id, false);
  declaration_->task(id).options.single = !to_several;
  return id;
}

void Graph::configure(const Settings& settings) {
  if (settings.window > 0) declaration_->window = settings.window;
  // The names of replicas have an index in brackets at their end.
  const auto is_named = [](const std::string& name, const std::string& wanted) {
    return name == wanted || name.substr(0, name.find('[')) == wanted;
  };
  for (const auto& [name, changes] : settings.tasks) {
    bool is_found = false;
    for (TaskDeclaration& task : declaration_->tasks) {
      if (!is_named(task.name, name)) continue;
      is_found = true;
      if (changes.workers) task.options.workers = *changes.workers;
      if (changes.on) task.options.on = *changes.on;
    }
    if (!is_found) throw InputError(fmt::format("graph '{}' has no task '{}'", declaration_->name, name));
  }
  for (const auto& [name, count] : settings.pools) {
    bool is_found = false;
    for (const detail::PoolDeclaration& pool : declaration_->pools) {
      if (!is_named(pool.state->name, name)) continue;
      is_found = true;
      pool.state->count = count;
    }
    if (!is_found) throw InputError(fmt::format("graph '{}' has no pool '{}'", declaration_->name, name));
  }
}

void Graph::check(const RunOptions& options) const {
  detail::check(*declaration_);
  std::int64_t bytes = 0;
  for (const detail::PoolDeclaration& pool : declaration_->pools) bytes += pool.bytes * pool.state->count;
  if (options.memory > 0 && bytes > options.memory)
    throw InputError(fmt::format("the pools of graph '{}' need {}, but may use {}: lower their counts",
                                 declaration_->name, human_bytes(bytes), human_bytes(options.memory)));
}

Run Graph::run(const RunOptions& options) {
  check(options);
  for (const detail::PoolDeclaration& pool : declaration_->pools) pool.state->allocate();
  auto execution = std::make_unique<detail::Execution>(*declaration_, options, nullptr);
  execution->start();
  return Run(std::move(execution));
}

Report Graph::rehearse(std::uint64_t seed, const RunOptions& options) {
  check(options);
  for (const detail::PoolDeclaration& pool : declaration_->pools) pool.state->allocate();
  detail::Execution execution(*declaration_, options,
                              std::make_unique<detail::JobChooser>(seed, declaration_->tasks.size()));
  execution.start();
  execution.rehearse();
  return execution.report();
}

}  // namespace tessera::graph
