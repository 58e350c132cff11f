// SPDX-License-Identifier: BSD-3-Clause
#include "group/exhaustive_search.hpp"

#include <algorithm>

namespace tessera::test {
namespace {

class Search {
 public:
  Search(const group::TaskGraph& graph, int ranks, double upper)
      : graph_(graph), ranks_(ranks), best_(upper), rest_(graph.size()) {
    const std::vector<group::TaskId>& order = graph.topological_order();
    for (auto task = order.rbegin(); task != order.rend(); ++task) {
      double after = 0;
      for (const group::Edge& edge : graph.edges_from(*task)) after = std::max(after, rest_[edge.to]);
      rest_[*task] = after + graph.seconds(*task, graph.most_ranks(*task, ranks));
    }
  }

  double run() {
    const std::vector<double> free(static_cast<std::size_t>(ranks_));
    IdVector<group::TaskId, double> finish(rest_.size(), -1);
    place(0, free, finish, 0);
    return best_;
  }

 private:
  /// Places all tasks that have no end yet, none of which starts before `earliest`. `free` is sorted.
  void place(double earliest, const std::vector<double>& free, IdVector<group::TaskId, double>& finish,
             double makespan) {
    bool is_complete = true;
    for (const group::TaskId task : graph_.tasks().ids()) {
      if (finish[task] >= 0) continue;
      is_complete = false;
      double ready = earliest;
      bool is_ready = true;
      for (const group::Edge& edge : graph_.edges_to(task)) {
        const double end = finish[edge.from];
        is_ready = is_ready && end >= 0;
        ready = std::max(ready, end);
      }
      if (is_ready) place_task(task, ready, free, finish, makespan);
    }
    if (is_complete) best_ = std::min(best_, makespan);
  }

  void place_task(group::TaskId task, double ready, const std::vector<double>& free,
                  IdVector<group::TaskId, double>& finish, double makespan) {
    for (int count = graph_.most_ranks(task, ranks_); count >= 1; --count) {
      const double start = std::max(ready, free[static_cast<std::size_t>(count - 1)]);
      const double end = start + graph_.seconds(task, count);
      const double shortest = graph_.seconds(task, graph_.most_ranks(task, ranks_));
      if (std::max(end, end + rest_[task] - shortest) >= best_ * (1 - 1e-12)) continue;
      std::vector<double> next = free;
      std::fill(next.begin(), next.begin() + count, end);
      std::ranges::sort(next);
      finish[task] = end;
      place(start, next, finish, std::max(makespan, end));
      finish[task] = -1;
    }
  }

  const group::TaskGraph& graph_;
  int ranks_;
  double best_;
  /// The shortest time from the start of each task to the end of the program.
  IdVector<group::TaskId, double> rest_;
};

}  // namespace

double shortest_makespan(const group::TaskGraph& graph, int ranks, double upper) {
  return Search(graph, ranks, upper).run();
}

group::TaskGraph small_graph(Random& random, int tasks, std::int64_t bytes) {
  std::vector<group::Task> list;
  std::vector<group::Edge> edges;
  for (int task = 0; task < tasks; ++task) {
    cost::TaskCost cost =
        cost::TaskCost::amdahl(random.real(0.2, 3), random.chance(30) ? 0 : random.real(0, 0.4));
    if (random.chance(30)) {
      std::vector<cost::TimedRanks> table{{1, random.real(0.2, 3)}};
      while (random.chance(70))
        table.push_back(
            {table.back().ranks + random.small(1, 3), table.back().seconds * random.real(0.4, 1)});
      cost = cost::TaskCost::table(table);
    }
    list.push_back({"t" + std::to_string(task), cost, "", {}});
    if (random.chance(20)) list.back().most_ranks = random.small(1, 6);
    for (int before = 0; before < task; ++before)
      if (random.chance(40)) edges.push_back({group::TaskId(before), group::TaskId(task), "a", bytes});
  }
  return {std::move(list), std::move(edges)};
}

}  // namespace tessera::test
