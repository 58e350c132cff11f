// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "tessera/group/detail/relaxed_problem.hpp"

namespace tessera::group::detail {
namespace {

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// Returns shares that add up to 1 and are proportional to weights, or equal shares if there are no weights.
std::vector<double> shares_of(const std::vector<double>& weights) {
  const double sum = sum_of(weights);
  std::vector<double> shares(weights.size(), 1.0 / static_cast<double>(weights.size()));
  if (sum > 0)
    for (std::size_t i = 0; i < weights.size(); ++i) shares[i] = weights[i] / sum;
  return shares;
}

/// Returns the least value of fixed + shared / p + area * p over 1 <= p <= most.
double least(double fixed, double shared, double area, double most) {
  const double at = area > 0 ? std::clamp(std::sqrt(shared / area), 1.0, most) : most;
  return fixed + shared / at + area * at;
}

/// Returns the least value, over the ranks of a task, of its duration and its area with the given multipliers
/// in sum. These are divided among the costs of the task.
double least_of_task(const RelaxedTask& task, const Multipliers& multipliers, std::size_t place,
                     double duration, double area) {
  std::vector<double> of_cost(task.costs.size());
  for (const std::vector<double>& one : multipliers.durations[place])
    for (std::size_t k = 0; k < one.size(); ++k) of_cost[k] += one[k];
  const std::vector<double> durations = shares_of(of_cost), areas = shares_of(multipliers.areas[place]);
  double fixed = 0, shared = 0, growing = 0;
  for (std::size_t k = 0; k < task.costs.size(); ++k) {
    fixed += duration * durations[k] * task.costs[k].serial + area * areas[k] * task.costs[k].parallel;
    shared += duration * durations[k] * task.costs[k].parallel;
    growing += area * areas[k] * task.costs[k].serial;
  }
  return least(fixed, shared, growing, task.most_ranks);
}

}  // namespace

RelaxedTimes relaxed_times(const RelaxedProblem& problem, const std::vector<double>& ranks_of_tasks) {
  const std::size_t count = problem.tasks.size();
  RelaxedTimes times{std::vector<double>(count), std::vector<double>(count), 0};
  std::vector<double> seconds(count);
  for (std::size_t i = 0; i < count; ++i) {
    seconds[i] = cost::greatest_seconds(problem.tasks[i].costs, ranks_of_tasks[i]);
    times.areas[i] = seconds[i] * ranks_of_tasks[i];
  }
  const auto end_of = [&](const Window& window) {
    double sum = 0;
    for (const std::size_t task : window.tasks) sum += times.areas[task];
    return (window.after == no_task ? 0 : times.ends[window.after]) + sum / problem.ranks;
  };
  for (std::size_t i = 0; i < count; ++i) {
    double start = 0;
    for (const std::size_t before : problem.tasks[i].predecessors)
      start = std::max(start, times.ends[before]);
    times.ends[i] = start + seconds[i];
    for (const Window& window : problem.windows)
      if (window.before == i) times.ends[i] = std::max(times.ends[i], end_of(window));
    times.value = std::max(times.value, times.ends[i]);
  }
  for (const Window& window : problem.windows)
    if (window.before == no_task) times.value = std::max(times.value, end_of(window));
  return times;
}

double dual_bound(const RelaxedProblem& problem, const Multipliers& multipliers) {
  const std::size_t count = problem.tasks.size();
  double all = sum_of(multipliers.ends);
  for (std::size_t w = 0; w < problem.windows.size(); ++w)
    if (problem.windows[w].before == no_task) all += multipliers.windows[w];
  if (!(all > 0)) return 0;
  std::vector<double> flow(count), areas(count);
  const auto add_window = [&](const Window& window, double multiplier) {
    for (const std::size_t task : window.tasks) areas[task] += multiplier / problem.ranks;
    if (window.after != no_task) flow[window.after] += multiplier;
  };
  for (std::size_t w = 0; w < problem.windows.size(); ++w)
    if (problem.windows[w].before == no_task) add_window(problem.windows[w], multipliers.windows[w] / all);
  // The flow into the end of a task goes on to its predecessors, through its duration, and to the starts of
  // its windows. The multipliers say which part goes where.
  std::vector<double> through(count);
  for (std::size_t i = count; i-- > 0;) {
    flow[i] += multipliers.ends[i] / all;
    std::vector<double> parts;
    for (const std::vector<double>& one : multipliers.durations[i]) parts.push_back(sum_of(one));
    const std::size_t durations = parts.size();
    std::vector<std::size_t> windows;
    for (std::size_t w = 0; w < problem.windows.size(); ++w)
      if (problem.windows[w].before == i) {
        windows.push_back(w);
        parts.push_back(multipliers.windows[w]);
      }
    parts = shares_of(parts);
    for (std::size_t e = 0; e < durations; ++e) {
      through[i] += flow[i] * parts[e];
      if (!problem.tasks[i].predecessors.empty())
        flow[problem.tasks[i].predecessors[e]] += flow[i] * parts[e];
    }
    for (std::size_t w = 0; w < windows.size(); ++w)
      add_window(problem.windows[windows[w]], flow[i] * parts[durations + w]);
  }
  double bound = 0;
  for (std::size_t i = 0; i < count; ++i)
    bound += least_of_task(problem.tasks[i], multipliers, i, through[i], areas[i]);
  return bound;
}

}  // namespace tessera::group::detail
