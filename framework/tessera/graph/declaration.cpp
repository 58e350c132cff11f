// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

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

std::string stamp_text(const Scope& scope) {
  if (scope.kind == Scope::Kind::group) return stamp_text(*scope.parent);
  const char* word = scope.kind == Scope::Kind::root   ? "item"
                     : scope.kind == Scope::Kind::turn ? "turn"
                                                       : "part";
  const std::string own = fmt::format("{} {}", word, scope.ordinal);
  return scope.parent == nullptr ? own : fmt::format("{}, {}", stamp_text(*scope.parent), own);
}

const FlowDeclaration& Declaration::flow(int id) const {
  if (!flows.contains(id))
    throw InputError(fmt::format("graph '{}' does not have a flow that it is given: use its own", name));
  return flows[id];
}

TaskId Declaration::add_task(TaskDeclaration task) {
  for (int input = 0; const int read : task.inputs)
    flow(read).readers.push_back({TaskId{tasks.size()}, input++});
  return tasks.push_back(std::move(task));
}

int Declaration::add_flow(TaskId producer, int region, TaskId several_from) {
  const int id = flows.push_back({.producer = producer, .region = region, .several_from = several_from});
  task(producer).outputs.push_back(id);
  return id;
}

int Declaration::add_region(int parent, Scope::Kind kind, TaskId task) {
  return regions.push_back({parent, kind, task});
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
  return are_equal || !are_roots ? first : add_region(-1, Scope::Kind::root, no_task);
}

TaskId Declaration::several_from(const std::vector<int>& inputs) const {
  for (const int input : inputs)
    if (flow(input).has_several()) return flow(input).several_from;
  return no_task;
}

namespace {

/// Returns the tasks that read what a task emits, once for each input. Ways back are left out.
std::vector<TaskId> next_tasks(const Declaration& graph, TaskId id) {
  std::vector<TaskId> next;
  const TaskDeclaration& task = graph.task(id);
  for (const int flow : task.outputs) {
    if (task.kind == TaskKind::turn && flow != task.outputs.front()) continue;
    for (const Reader& reader : graph.flow(flow).readers)
      if (graph.task(reader.task).kind != TaskKind::feedback) next.push_back(reader.task);
  }
  return next;
}

}  // namespace

std::vector<TaskId> topological_order(const Declaration& graph) {
  IdVector<TaskId, int> missing(graph.tasks.values().size());
  for (const TaskId id : graph.tasks.ids())
    for (const TaskId next : next_tasks(graph, id)) ++missing[next];
  std::set<TaskId> ready;
  for (const TaskId id : graph.tasks.ids())
    if (missing[id] == 0) ready.insert(id);
  std::vector<TaskId> order;
  while (!ready.empty()) {
    const TaskId id = *ready.begin();
    ready.erase(id);
    order.push_back(id);
    for (const TaskId next : next_tasks(graph, id))
      if (--missing[next] == 0) ready.insert(next);
  }
  return order;
}

IdVector<TaskId, int> depths(const Declaration& graph) {
  IdVector<TaskId, int> depth(graph.tasks.values().size());
  for (const TaskId id : topological_order(graph))
    for (const TaskId next : next_tasks(graph, id)) depth[next] = std::max(depth[next], depth[id] + 1);
  return depth;
}

namespace {

template <class... Arguments>
void require(bool holds, fmt::format_string<Arguments...> message, Arguments&&... arguments) {
  if (!holds) throw InputError(fmt::format(message, std::forward<Arguments>(arguments)...));
}

/// Returns whether the task gets the items of equal stamps from all of its inputs together.
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
            "two tasks are called '{}': give one of them another name", task.name);
  }
}

void check_flows(const Declaration& graph) {
  for (const FlowDeclaration& flow : graph.flows) {
    const TaskDeclaration& producer = graph.task(flow.producer);
    require(!flow.readers.empty() || flow.is_discarded,
            "nobody reads what {} emits: add a task that does, or discard it", title(producer));
    for (const Reader& reader : flow.readers)
      require(flow.readers.size() == 1 || !graph.task(reader.task).takes_values,
              "{} takes its items by value, but shares them with {} others: take them by const reference",
              title(graph.task(reader.task)), flow.readers.size() - 1);
  }
}

void check_workers(const TaskDeclaration& task) {
  require(task.options.workers >= 0, "{} has {} workers: give 1 or more", title(task), task.options.workers);
  require(!is_serial(task) || task.options.workers <= 1,
          "{} runs one body at a time, but has {} workers: leave them out", title(task),
          task.options.workers);
  const Place::Kind place = task.options.on.kind();
  require(!task.launches_kernels || place == Place::Kind::kernels || place == Place::Kind::device,
          "'{}' launches Kokkos kernels on {}: use Place::kernels(), or calling-thread plans", task.name,
          task.options.workers == 1  ? "a worker"
          : task.options.workers > 1 ? fmt::format("{} workers", task.options.workers)
                                     : "all workers");
}

void check_turns(const TaskDeclaration& task) {
  const bool has_turns = task.kind == TaskKind::turn || task.kind == TaskKind::feedback;
  require(!has_turns || task.options.most >= 1, "{} may take {} turns: set `most` to 1 or more", title(task),
          task.options.most);
  require(task.kind != TaskKind::feedback || !task.inputs.empty(),
          "{} is not closed: name the flow that feeds it", title(task));
}

/// Checks what a task reads, and whether it reads items in an order.
void check_inputs(const Declaration& graph, const TaskDeclaration& task) {
  require(
      (task.inputs.size() <= max_inputs || task.kind == TaskKind::merge) && task.pools.size() <= max_pools,
      "{} reads {} flows and {} pools: at most {} and {} are possible", title(task), task.inputs.size(),
      task.pools.size(), max_inputs, max_pools);
  require(task.kind != TaskKind::keeper || task.options.order != Order::unsaid,
          "{} keeps state and reads {} flow{}: say Order::stamp or Order::arrival", title(task),
          task.inputs.size(), task.inputs.size() == 1 ? "" : "s");
  if (task.inputs.empty()) return;
  const TaskId several = graph.several_from(task.inputs);
  const std::string& several_name = several == no_task ? task.name : graph.task(several).name;
  const bool is_ordered = task.options.order == Order::stamp;
  require(several == no_task || !is_ordered,
          "{} is ordered, but '{}' emits several items per stamp: scatter and gather, or say `single`",
          title(task), several_name);
  require(several == no_task || !joins(task),
          "{} reads items of equal stamps, but '{}' emits several items per stamp: use a keeper", title(task),
          several_name);
  require(several == no_task || task.kind != TaskKind::gather,
          "{} collects one item per part, but '{}' emits several: scatter and gather those", title(task),
          several_name);
  const int region = graph.flow(task.inputs.front()).region;
  for (const int input : task.inputs) {
    const int other = graph.flow(input).region;
    const bool are_roots = graph.region(region).parent < 0 && graph.region(other).parent < 0;
    require(other == region || task.kind == TaskKind::merge || (task.kind == TaskKind::keeper && are_roots),
            "{} reads '{}' and '{}', whose items never have equal stamps: use a keeper outside of loops "
            "and scatters",
            title(task), graph.task(graph.flow(task.inputs.front()).producer).name,
            graph.task(graph.flow(input).producer).name);
    require(!is_ordered || (graph.region(other).parent < 0 && graph.region(other).task != no_task),
            "{} is ordered, but '{}' emits inside a loop or a scatter, or below several sources: order "
            "what leaves it",
            title(task), graph.task(graph.flow(input).producer).name);
  }
}

/// Throws InputError if what an ordered task emits can come back through a feedback.
void check_ways_back(const Declaration& graph) {
  for (const TaskId from : graph.tasks.ids()) {
    if (graph.task(from).options.order != Order::stamp) continue;
    std::set<TaskId> seen;
    std::vector<TaskId> stack{from};
    while (!stack.empty()) {
      const TaskDeclaration& task = graph.task(stack.back());
      stack.pop_back();
      require(task.kind != TaskKind::feedback, "{} is ordered, but feeds feedback '{}': say Order::arrival",
              title(graph.task(from)), task.name);
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
    require(names.insert(state.name).second, "two pools are called '{}': give one of them another name",
            state.name);
    require(state.per_item >= 1, "pool '{}' has {} buffers per item: give 1 or more", state.name,
            state.per_item);
    require(state.count >= state.per_item,
            "pool '{}' has {} buffers, but an item needs {}: raise graph.{}.count", state.name, state.count,
            state.per_item, state.name);
  }
  for (const TaskDeclaration& task : graph.tasks)
    for (const int pool : task.pools) {
      const PoolState& state = *graph.pools[pool].state;
      const auto taken = std::ranges::count(task.pools, pool);
      require(taken <= state.per_item,
              "{} takes {} buffers of pool '{}' for each item, whose per_item is {}: raise per_item",
              title(task), taken, state.name, state.per_item);
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
  require(has_source, "graph '{}' has no source: add one", graph.name);
  check_flows(graph);
  check_ways_back(graph);
  check_pools(graph);
}

}  // namespace tessera::graph::detail
