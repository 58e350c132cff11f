// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/task_graph.hpp"

#include <gtest/gtest.h>

#include "domain/random.hpp"
#include "messages.hpp"
#include "tessera/domain/error.hpp"

namespace {

using namespace tessera;
using cost::TaskCost;
using group::Edge;
using group::Task;
using group::TaskGraph;
using group::TaskId;
using test::expect_message;

Edge edge(int from, int to, const std::string& array, std::int64_t bytes) {
  return {TaskId(from), TaskId(to), array, bytes};
}

Task task(const std::string& name) { return {name, TaskCost::amdahl(1, 0), "work", {}}; }

TEST(TaskGraph, RefusesWhatIsNoProgram) {
  const auto refusal = [](const std::vector<Edge>& edges) {
    return test::message_of<InternalError>([&] { TaskGraph({task("a"), task("b"), task("c")}, edges); });
  };
  expect_message(refusal({edge(1, 3, "image", 1)}), {"task 1", "task 3", "3 tasks"});
  expect_message(refusal({edge(-1, 0, "image", 1)}), {"task -1", "task 0"});
  expect_message(refusal({edge(0, 1, "", 0), edge(1, 2, "", 0), edge(2, 1, "", 0)}), {"tasks 1, 2", "wait"});
  expect_message(refusal({edge(0, 0, "", 0)}), {"tasks 0", "wait"});
}

/// A fork of three branches with two levels, and a join. The second task of the last branch takes `seconds`.
TaskGraph forks(double seconds) {
  std::vector<Task> tasks{{"end", TaskCost::amdahl(1, 0), "min", {}}};
  std::vector<Edge> edges;
  for (const std::string branch : {"0", "1", "2"}) {
    const int err = static_cast<int>(tasks.size()), diff = err + 1;
    tasks.push_back({"err" + branch, TaskCost::amdahl(branch == "2" ? seconds : 4, 0.5), "sum", {}});
    tasks.push_back({"diff" + branch, TaskCost::amdahl(2, 0), "square", {}});
    edges.push_back(edge(diff, err, "d", 100));
    edges.push_back(edge(err, 0, "e", 100));
  }
  return {tasks, edges};
}

TEST(TaskGraph, KnowsOrderAndLevels) {
  const TaskGraph graph = forks(4);
  std::vector<int> order;
  for (const TaskId task : graph.topological_order()) order.push_back(to_int(task));
  EXPECT_EQ(order, (std::vector<int>{2, 1, 4, 3, 6, 5, 0}));
  EXPECT_EQ(graph.levels().values(), (std::vector<int>{2, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(graph.edges_to(TaskId(0)),
            (std::vector<Edge>{edge(1, 0, "e", 100), edge(3, 0, "e", 100), edge(5, 0, "e", 100)}));
  EXPECT_EQ(graph.edges_from(TaskId(6)), (std::vector<Edge>{edge(6, 5, "d", 100)}));
  EXPECT_EQ(TaskGraph({{"a", {}, "", 3}, task("b")}, {}).most_ranks(TaskId(0), 8), 3);
}

TEST(GraphCosts, CriticalPathCountsTasksAndEdges) {
  const TaskGraph graph = forks(6);
  const group::Allocation ranks(7, 2);
  // diff 1 s, err2 4.5 s, end 0.5 s.
  EXPECT_DOUBLE_EQ(group::critical_path(graph, ranks, {}), 6);
  // Each of both edges sends 50 bytes from each rank.
  const group::Communication communication{{0.5, 0.01}, group::Travel::between_ranks};
  EXPECT_DOUBLE_EQ(group::critical_path(graph, ranks, communication), 6 + 2 * (0.5 + 0.5));
}

}  // namespace
