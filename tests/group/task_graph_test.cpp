// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/task_graph.hpp"

#include <gtest/gtest.h>

#include "domain/random.hpp"
#include "messages.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/group/graph_costs.hpp"

namespace {

using namespace tessera;
using cost::TaskCost;
using group::NamedEdge;
using group::Task;
using group::TaskGraph;
using test::expect_message;

std::string refusal(std::vector<Task> tasks, const std::vector<NamedEdge>& edges) {
  return test::message_of<InputError>([&] { TaskGraph(std::move(tasks), edges); });
}

Task task(const std::string& name, double seconds = 1) {
  return {name, TaskCost::amdahl(seconds, 0), "work", {}};
}

TEST(TaskGraph, RefusesWhatIsNoProgram) {
  expect_message(refusal({task("a"), task("b"), task("a")}, {}), {"two tasks", "'a'", "rename"});
  expect_message(refusal({task("")}, {}), {"graph of tasks", "no name"});
  expect_message(refusal({task("smooth"), task("b")}, {{"b", "smoth", "image", 1}}),
                 {"'image'", "task 'smoth'", "mean 'smooth'?"});
  expect_message(refusal({task("b")}, {{"b", "something", "image", 1}}),
                 {"'image'", "goes from 'b'", "task 'something'"});
  expect_message(refusal({task("a"), task("b")}, {{"a", "b", "image", -1}}),
                 {"'image'", "-1 bytes", "least 0"});
  expect_message(refusal({{"a", {}, "", 0}}, {}), {"'a'", "may have", "least 1"});
}

TEST(TaskGraph, NamesTheTasksOfACycle) {
  const std::vector<Task> tasks{task("start"), task("c"), task("b"), task("a"), task("end")};
  expect_message(refusal(tasks, {{"start", "a", "", 0},
                                 {"a", "b", "", 0},
                                 {"b", "c", "", 0},
                                 {"c", "a", "", 0},
                                 {"c", "end", "", 0}}),
                 {"tasks wait", "'c'", "these edges"});
  expect_message(refusal({task("a")}, {{"a", "a", "", 0}}),
                 {"wait for each other: 'a' -> 'a':", "these edges"});
}

/// A fork of three branches with two levels, and a join.
TaskGraph forks(double last_branch, std::int64_t last_bytes) {
  std::vector<Task> tasks{{"end", TaskCost::amdahl(1, 0), "min", {}}};
  std::vector<NamedEdge> edges;
  for (const std::string branch : {"0", "1", "2"}) {
    tasks.push_back({"err" + branch, TaskCost::amdahl(branch == "2" ? last_branch : 4, 0.5), "sum", {}});
    tasks.push_back({"diff" + branch, TaskCost::amdahl(2, 0), "square", {}});
    edges.push_back({"diff" + branch, "err" + branch, "d", branch == "2" ? last_bytes : 100});
    edges.push_back({"err" + branch, "end", "e", 100});
  }
  return {tasks, edges};
}

TEST(TaskGraph, KnowsOrderAndLevels) {
  const TaskGraph graph = forks(4, 100);
  EXPECT_EQ(graph.topological_order(), (std::vector<int>{2, 1, 4, 3, 6, 5, 0}));
  EXPECT_EQ(graph.levels(), (std::vector<int>{2, 1, 0, 1, 0, 1, 0}));
  EXPECT_TRUE(graph.is_well_balanced());
  EXPECT_FALSE(forks(5, 100).is_well_balanced());
  EXPECT_FALSE(forks(4, 101).is_well_balanced());
  EXPECT_TRUE(TaskGraph().is_well_balanced());
  EXPECT_EQ(TaskGraph({{"a", {}, "", 3}, task("b")}, {}).most_ranks(0, 8), 3);
}

TEST(GraphCosts, PathsAndAreas) {
  const TaskGraph graph = forks(6, 100);
  const std::vector<double> real(7, 2);
  // diff 1 s, err2 4.5 s, end 0.5 s; the areas are 2, 2 * 3 for two branches, 2 * 4.5 and 1.
  EXPECT_DOUBLE_EQ(group::critical_path(graph, real), 6);
  EXPECT_DOUBLE_EQ(group::average_area(graph, real, 4), (3 * 2 + 2 * 6 + 9 + 1) / 4.0);
  const std::vector<int> whole(7, 2);
  EXPECT_DOUBLE_EQ(group::average_area(graph, whole, 4), group::average_area(graph, real, 4));
  // Each of both edges sends 50 bytes from each rank.
  const group::Communication communication{{0.5, 0.01}, group::Travel::between_ranks};
  EXPECT_DOUBLE_EQ(group::critical_path(graph, whole, communication), 6 + 2 * (0.5 + 0.5));
}

}  // namespace
