// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tessera/domain/error.hpp"

namespace tessera::graph::detail {

std::string_view name_of(TaskKind kind) {
  constexpr std::string_view names[] = {"source", "input",   "task",     "keeper",    "sink",
                                        "output", "scatter", "gather",   "replicate", "send",
                                        "loop",   "loop",    "feedback", "merge"};
  static_assert(std::size(names) == static_cast<std::size_t>(TaskKind::merge) + 1);
  return names[static_cast<std::size_t>(kind)];
}

std::string title(const TaskDeclaration& task) {
  return fmt::format("{} '{}'", name_of(task.kind), task.name);
}

const FlowDeclaration& Declaration::flow(int id) const {
  if (id < 0 || id >= static_cast<int>(flows.size()))
    throw InputError(fmt::format("graph '{}' does not have a flow that it is given: use its own", name));
  return flows[static_cast<std::size_t>(id)];
}

int Declaration::add_task(TaskDeclaration task) {
  const int id = static_cast<int>(tasks.size());
  for (std::size_t input = 0; input < task.inputs.size(); ++input)
    flow(task.inputs[input]).readers.push_back({id, static_cast<int>(input)});
  tasks.push_back(std::move(task));
  return id;
}

int Declaration::add_flow(int producer, int region, bool several) {
  const int id = static_cast<int>(flows.size());
  flows.push_back({.producer = producer, .region = region, .several = several});
  if (several) flows.back().several_from = producer;
  task(producer).outputs.push_back(id);
  return id;
}

int Declaration::add_region(int parent, Scope::Kind kind, int task) {
  regions.push_back({parent, kind, task});
  return static_cast<int>(regions.size()) - 1;
}

int Declaration::common_region(const std::vector<int>& inputs) {
  int first = -1;
  bool are_equal = true, are_roots = true;
  for (const int input : inputs) {
    const int own = flow(input).region;
    if (own < 0) continue;  // The flow is a feedback that is not closed yet.
    if (first < 0) first = own;
    are_equal = are_equal && own == first;
    are_roots = are_roots && region(own).parent < 0;
  }
  if (first < 0)
    throw InputError(
        fmt::format("a task reads feedback '{}' alone: merge it with another flow, or use a keeper",
                    task(flow(inputs.front()).producer).name));
  return are_equal || !are_roots ? first : add_region(-1, Scope::Kind::root, -1);
}

int Declaration::several_from(const std::vector<int>& inputs) const {
  for (const int input : inputs)
    if (flow(input).several) return flow(input).several_from;
  return -1;
}

std::vector<int> topological_order(const Declaration& graph) {
  std::vector<int> missing(graph.tasks.size()), order, ready;
  const auto is_way_back = [](const TaskDeclaration& task) { return task.kind == TaskKind::feedback; };
  for (std::size_t id = 0; id < graph.tasks.size(); ++id) {
    missing[id] = is_way_back(graph.tasks[id]) ? 0 : static_cast<int>(graph.tasks[id].inputs.size());
    if (missing[id] == 0) ready.push_back(static_cast<int>(id));
  }
  while (!ready.empty()) {
    const int id = *std::ranges::min_element(ready);
    std::erase(ready, id);
    order.push_back(id);
    for (std::size_t output = 0; output < graph.task(id).outputs.size(); ++output) {
      if (graph.task(id).kind == TaskKind::turn && output == 1) continue;
      for (const Reader& reader : graph.flow(graph.task(id).outputs[output]).readers)
        if (!is_way_back(graph.task(reader.task)) && --missing[static_cast<std::size_t>(reader.task)] == 0)
          ready.push_back(reader.task);
    }
  }
  return order;
}

std::vector<int> depths(const Declaration& graph) {
  std::vector<int> depth(graph.tasks.size(), 0);
  for (const int id : topological_order(graph))
    for (std::size_t output = 0; output < graph.task(id).outputs.size(); ++output) {
      if (graph.task(id).kind == TaskKind::turn && output == 1) continue;
      for (const Reader& reader : graph.flow(graph.task(id).outputs[output]).readers) {
        int& to = depth[static_cast<std::size_t>(reader.task)];
        if (graph.task(reader.task).kind != TaskKind::feedback)
          to = std::max(to, depth[static_cast<std::size_t>(id)] + 1);
      }
    }
  return depth;
}

namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw InputError(message);
}

bool joins(const TaskDeclaration& task) {
  return task.inputs.size() > 1 && task.kind != TaskKind::keeper && task.kind != TaskKind::merge;
}

/// Returns whether the bodies of the task are called one after the other whatever the number of workers is.
bool is_serial(const TaskDeclaration& task) {
  return task.kind == TaskKind::source || task.kind == TaskKind::keeper || task.options.order == Order::stamp;
}

void check_names(const Declaration& graph) {
  std::set<std::string> names;
  for (const TaskDeclaration& task : graph.tasks) {
    require(task.kind == TaskKind::turn || names.insert(task.name).second,
            fmt::format("two tasks are called '{}': give one of them another name", task.name));
  }
}

void check_flows(const Declaration& graph) {
  for (const FlowDeclaration& flow : graph.flows) {
    const TaskDeclaration& producer = graph.task(flow.producer);
    require(!flow.readers.empty() || flow.is_discarded,
            fmt::format("nobody reads what {} emits: add a task that does, or discard it", title(producer)));
    for (const Reader& reader : flow.readers)
      require(flow.readers.size() == 1 || !graph.task(reader.task).takes_values,
              fmt::format(
                  "{} takes its items by value, but shares them with {} others: take them by const reference",
                  title(graph.task(reader.task)), flow.readers.size() - 1));
  }
}

void check_workers(const TaskDeclaration& task) {
  require(task.options.workers >= 0,
          fmt::format("{} has {} workers: give 1 or more", title(task), task.options.workers));
  require(!is_serial(task) || task.options.workers <= 1,
          fmt::format("{} runs one body at a time, but has {} workers: leave them out", title(task),
                      task.options.workers));
  const Place::Kind place = task.options.on.kind();
  require(!task.launches_kernels || place == Place::Kind::kernels || place == Place::Kind::device,
          fmt::format("'{}' launches Kokkos kernels on {}: use Place::kernels(), or calling-thread plans",
                      task.name,
                      task.options.workers == 1  ? "a worker"
                      : task.options.workers > 1 ? fmt::format("{} workers", task.options.workers)
                                                 : "all workers"));
}

void check_turns(const TaskDeclaration& task) {
  const bool has_turns = task.kind == TaskKind::turn || task.kind == TaskKind::feedback;
  require(!has_turns || task.options.most >= 1,
          fmt::format("{} may take {} turns: set `most` to 1 or more", title(task), task.options.most));
  require(task.kind != TaskKind::feedback || !task.inputs.empty(),
          fmt::format("{} is not closed: name the flow that feeds it", title(task)));
}

/// Checks what a task reads, and whether it reads items in an order.
void check_inputs(const Declaration& graph, const TaskDeclaration& task) {
  require(
      (task.inputs.size() <= max_inputs || task.kind == TaskKind::merge) && task.pools.size() <= max_pools,
      fmt::format("{} reads {} flows and {} pools: at most {} and {} are possible", title(task),
                  task.inputs.size(), task.pools.size(), max_inputs, max_pools));
  require(task.kind != TaskKind::keeper || task.options.order != Order::unsaid,
          fmt::format("{} keeps state and reads {} flow{}: say Order::stamp or Order::arrival", title(task),
                      task.inputs.size(), task.inputs.size() == 1 ? "" : "s"));
  if (task.inputs.empty()) return;
  const int several = graph.several_from(task.inputs);
  const bool is_ordered = task.options.order == Order::stamp;
  require(several < 0 || !is_ordered,
          fmt::format(
              "{} is ordered, but '{}' emits several items per stamp: scatter and gather, or say `single`",
              title(task), graph.task(std::max(several, 0)).name));
  require(several < 0 || !joins(task),
          fmt::format("{} reads items of equal stamps, but '{}' emits several items per stamp: use a keeper",
                      title(task), graph.task(std::max(several, 0)).name));
  require(several < 0 || task.kind != TaskKind::gather,
          fmt::format("{} collects one item per part, but '{}' emits several: scatter and gather those",
                      title(task), graph.task(std::max(several, 0)).name));
  const int region = graph.flow(task.inputs.front()).region;
  for (const int input : task.inputs) {
    const int other = graph.flow(input).region;
    const bool are_roots = graph.region(region).parent < 0 && graph.region(other).parent < 0;
    require(other == region || task.kind == TaskKind::merge || (task.kind == TaskKind::keeper && are_roots),
            fmt::format(
                "{} reads '{}' and '{}', whose items never have equal stamps: use a keeper outside of loops "
                "and scatters",
                title(task), graph.task(graph.flow(task.inputs.front()).producer).name,
                graph.task(graph.flow(input).producer).name));
    require(!is_ordered || (graph.region(other).parent < 0 && graph.region(other).task >= 0),
            fmt::format(
                "{} is ordered, but '{}' emits inside a loop or a scatter, or below several sources: order "
                "what leaves it",
                title(task), graph.task(graph.flow(input).producer).name));
  }
}

/// Throws InputError if what an ordered task emits can come back through a feedback.
void check_ways_back(const Declaration& graph) {
  for (std::size_t from = 0; from < graph.tasks.size(); ++from) {
    if (graph.tasks[from].options.order != Order::stamp) continue;
    std::set<int> seen;
    std::vector<int> stack{static_cast<int>(from)};
    while (!stack.empty()) {
      const TaskDeclaration& task = graph.task(stack.back());
      stack.pop_back();
      require(task.kind != TaskKind::feedback,
              fmt::format("{} is ordered, but feeds feedback '{}': say Order::arrival",
                          title(graph.tasks[from]), task.name));
      for (const int flow : task.outputs)
        for (const Reader& reader : graph.flow(flow).readers)
          if (seen.insert(reader.task).second) stack.push_back(reader.task);
    }
  }
}

void check_pools(const Declaration& graph) {
  std::set<std::string> names;
  for (const PoolDeclaration& pool : graph.pools) {
    const PoolState& state = *pool.state;
    require(names.insert(state.name).second,
            fmt::format("two pools are called '{}': give one of them another name", state.name));
    require(state.per_item >= 1,
            fmt::format("pool '{}' has {} buffers per item: give 1 or more", state.name, state.per_item));
    require(state.count >= state.per_item,
            fmt::format("pool '{}' has {} buffers, but an item needs {}: raise graph.{}.count", state.name,
                        state.count, state.per_item, state.name));
  }
  for (const TaskDeclaration& task : graph.tasks)
    for (const int pool : task.pools) {
      const PoolState& state = *graph.pools[static_cast<std::size_t>(pool)].state;
      const auto taken = std::ranges::count(task.pools, pool);
      require(
          taken <= state.per_item,
          fmt::format("{} takes {} buffers of pool '{}' for each item, whose per_item is {}: raise per_item",
                      title(task), taken, state.name, state.per_item));
    }
}

}  // namespace

void check(const Declaration& graph) {
  check_names(graph);
  bool has_source = false;
  for (const TaskDeclaration& task : graph.tasks) {
    has_source = has_source || task.kind == TaskKind::source || task.kind == TaskKind::input;
    check_workers(task);
    check_turns(task);
    check_inputs(graph, task);
  }
  require(has_source, fmt::format("graph '{}' has no source: add one", graph.name));
  check_flows(graph);
  check_ways_back(graph);
  check_pools(graph);
}

Outline::Outline(const Declaration& graph) : graph_(graph) {
  for (const int number : topological_order(graph)) {
    const TaskDeclaration& task = graph.task(number);
    if (task.beginning < 0) {
      tasks_.push_back({number, &task, task.inputs, task.outputs, depth_of(task)});
      continue;
    }
    OutlinedTask& whole = *std::ranges::find(tasks_, task.beginning, &OutlinedTask::number);
    whole.inputs.insert(whole.inputs.end(), task.inputs.begin(), task.inputs.end());
    // The second output of the end of a loop leads back, and so is the same flow as that of the beginning.
    whole.outputs.push_back(task.outputs.front());
    if (task.make_body != nullptr) whole.task = &task;
  }
}

std::vector<std::string> Outline::readers(int flow) const {
  std::vector<std::string> names;
  for (const Reader& reader : graph_.flow(flow).readers) names.push_back(name_of_task(reader.task));
  return names;
}

const std::string& Outline::name_of_task(int number) const {
  const TaskDeclaration& task = graph_.task(number);
  return task.beginning < 0 ? task.name : graph_.task(task.beginning).name;
}

int Outline::depth_of(const TaskDeclaration& task) const {
  int region = task.region;
  if (region < 0) return 0;
  if (task.kind == TaskKind::enter || task.kind == TaskKind::scatter) region = graph_.region(region).parent;
  int depth = 0;
  while ((region = graph_.region(region).parent) >= 0) ++depth;
  return depth;
}

}  // namespace tessera::graph::detail
