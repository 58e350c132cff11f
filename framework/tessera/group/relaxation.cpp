// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/relaxation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/barrier.hpp"
#include "tessera/group/detail/graph_windows.hpp"

namespace tessera::group {
namespace {

using detail::GraphWindow;
using detail::RelaxedProblem;

/// A problem, and the place in it of each task of the graph.
struct PlacedProblem {
  RelaxedProblem problem;
  std::vector<std::size_t> places;
};

/// Returns the problem of a graph with some windows. Where a window ends at the start of a task, a task that
/// takes no time is put before that one.
PlacedProblem relaxed_problem(const TaskGraph& graph, int ranks,
                              const std::vector<GraphWindow>& windows = {}) {
  PlacedProblem result{{}, std::vector<std::size_t>(graph.tasks().size())};
  RelaxedProblem& problem = result.problem;
  problem.ranks = ranks;
  std::vector<std::size_t> starts(graph.tasks().size(), detail::no_task);
  for (const int task : graph.topological_order()) {
    const auto id = static_cast<std::size_t>(task);
    std::vector<std::size_t> predecessors;
    for (const int edge : graph.edges_to(task)) {
      const Edge& own = graph.edges()[static_cast<std::size_t>(edge)];
      const std::size_t before = result.places[static_cast<std::size_t>(own.from)];
      if (std::ranges::find(predecessors, before) == predecessors.end()) predecessors.push_back(before);
    }
    if (std::ranges::find(windows, task, &GraphWindow::before) != windows.end()) {
      starts[id] = problem.tasks.size();
      problem.tasks.push_back({{cost::SharedCost{}}, 1, std::move(predecessors), false});
      predecessors = {starts[id]};
    }
    result.places[id] = problem.tasks.size();
    problem.tasks.push_back({graph.tasks()[id].cost.lower_bounds(),
                             static_cast<double>(graph.most_ranks(task, ranks)), std::move(predecessors),
                             graph.edges_from(task).empty()});
  }
  detail::Window& all = problem.windows.emplace_back();
  for (std::size_t place = 0; place < problem.tasks.size(); ++place) all.tasks.push_back(place);
  for (const GraphWindow& window : windows) {
    detail::Window& own = problem.windows.emplace_back();
    if (window.after >= 0) own.after = result.places[static_cast<std::size_t>(window.after)];
    if (window.before >= 0) own.before = starts[static_cast<std::size_t>(window.before)];
    for (const int task : window.tasks) own.tasks.push_back(result.places[static_cast<std::size_t>(task)]);
  }
  return result;
}

/// Solves a problem whose costs were divided by `scale`.
Relaxation solve_scaled(const RelaxedProblem& problem, double scale, double gap) {
  constexpr double sharper = 10;
  constexpr int most_rounds = 40;
  Relaxation result;
  result.value = std::numeric_limits<double>::infinity();
  detail::Barrier barrier(problem);
  double sharpness = barrier.constraints();
  for (int round = 0; round < most_rounds; ++round, sharpness *= sharper) {
    result.steps += barrier.centre(sharpness);
    std::vector<double> ranks = barrier.ranks_of_tasks();
    const double value = scale * detail::relaxed_times(problem, ranks).value;
    if (value < result.value) {
      result.value = value;
      result.ranks_of_tasks = std::move(ranks);
    }
    result.bound =
        std::max(result.bound, scale * detail::dual_bound(problem, barrier.multipliers(sharpness)));
    if (result.gap() <= gap) break;
  }
  return result;
}

Relaxation solve_relaxed(PlacedProblem placed, double gap) {
  RelaxedProblem& problem = placed.problem;
  const double scale = detail::relaxed_times(problem, std::vector<double>(problem.tasks.size(), 1)).value;
  Relaxation result;
  result.ranks_of_tasks.assign(problem.tasks.size(), 1);
  if (scale > 0) {
    for (detail::RelaxedTask& task : problem.tasks)
      for (cost::SharedCost& cost : task.costs) cost = {cost.serial / scale, cost.parallel / scale};
    result = solve_scaled(problem, scale, gap);
  }
  std::vector<double> of_ids;
  for (const std::size_t place : placed.places) of_ids.push_back(result.ranks_of_tasks[place]);
  result.ranks_of_tasks = std::move(of_ids);
  return result;
}

void check_ranks_of_machine(int ranks) {
  if (ranks < 1) throw InputError(fmt::format("groups: the machine has {} ranks: give at least 1", ranks));
}

}  // namespace

Relaxation relax(const TaskGraph& graph, int ranks, double gap) {
  check_ranks_of_machine(ranks);
  return solve_relaxed(relaxed_problem(graph, ranks), gap);
}

Relaxation relax_with_windows(const TaskGraph& graph, int ranks, int rounds, double gap) {
  Relaxation best = relax(graph, ranks, gap);
  Relaxation last = best;
  std::vector<GraphWindow> windows;
  const std::size_t most = std::max<std::size_t>(4, graph.tasks().size() / 4);
  for (int round = 0; round < rounds; ++round) {
    detail::TaskWork work;
    for (std::size_t task = 0; task < graph.tasks().size(); ++task) {
      const double seconds = graph.tasks()[task].cost.lower_bound(last.ranks_of_tasks[task]);
      work.seconds.push_back(seconds);
      work.area.push_back(seconds * last.ranks_of_tasks[task] / ranks);
    }
    const std::size_t before = windows.size();
    for (GraphWindow& window : detail::overfull_windows(graph, work, last.value, most))
      if (std::ranges::find(windows, window) == windows.end()) windows.push_back(std::move(window));
    if (windows.size() == before) break;
    const int steps = best.steps;
    last = solve_relaxed(relaxed_problem(graph, ranks, windows), gap);
    if (last.bound > best.bound) best = last;
    best.steps = steps + last.steps;
  }
  return best;
}

Relaxation relax_with_travel(const TaskGraph& graph, int ranks, const Communication& communication,
                             double gap) {
  check_ranks_of_machine(ranks);
  PlacedProblem placed = relaxed_problem(graph, ranks);
  const cost::NetworkCost& network = communication.network;
  for (int task = 0; task < graph.size(); ++task) {
    const auto lengthen = [&](int edge) {
      const std::int64_t bytes = graph.edges()[static_cast<std::size_t>(edge)].bytes;
      if (bytes == 0) return;
      const double transfer = static_cast<double>(bytes) * network.seconds_per_byte;
      const bool is_shared = communication.travel == Travel::between_ranks;
      for (cost::SharedCost& cost :
           placed.problem.tasks[placed.places[static_cast<std::size_t>(task)]].costs) {
        cost.serial += network.latency_seconds + (is_shared ? 0 : transfer);
        cost.parallel += is_shared ? transfer : 0;
      }
    };
    for (const int edge : graph.edges_to(task)) lengthen(edge);
    for (const int edge : graph.edges_from(task)) lengthen(edge);
  }
  return solve_relaxed(std::move(placed), gap);
}

}  // namespace tessera::group
