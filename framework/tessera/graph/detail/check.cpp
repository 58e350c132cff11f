// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tessera/domain/error.hpp"
#include "tessera/graph/declaration.hpp"

namespace tessera::graph::detail {
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

}  // namespace tessera::graph::detail
