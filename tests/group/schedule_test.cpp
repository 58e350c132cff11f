// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "domain/random.hpp"
#include "group/exhaustive_search.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/group/allocation.hpp"
#include "tessera/group/schedule_json.hpp"
#include "tessera/group/validation.hpp"

namespace {

using namespace tessera;
using cost::TaskCost;
using group::GroupSchedule;
using group::TaskGraph;

const group::Communication network{{0.5, 0}, group::Travel::between_ranks};

TaskGraph pair_graph() {
  return {{{"smooth", TaskCost::amdahl(2, 0), "", {}}, {"sum", TaskCost::amdahl(1, 1), "", 2}},
          {{"smooth", "sum", "image", 8}}};
}

/// A schedule on 4 ranks that can be run.
GroupSchedule pair_schedule() { return {"made by hand", 4, {{0, {2, 0}, 0, 1}, {1, {1}, 2, 3}}, 3, 0.5, 0}; }

std::string refusal(const std::function<void(GroupSchedule&)>& spoil) {
  GroupSchedule schedule = pair_schedule();
  spoil(schedule);
  return test::message_of<InputError>([&] { group::check_schedule(pair_graph(), network, schedule); });
}

TEST(CheckSchedule, AcceptsWhatCanBeRun) {
  EXPECT_EQ(refusal([](GroupSchedule&) {}), "nothing was thrown");
  // The array stays on the same ranks in the same order.
  EXPECT_EQ(refusal([](GroupSchedule& schedule) {
              schedule.tasks[1] = {1, {2, 0}, 1, 3};
            }),
            "nothing was thrown");
}

TEST(CheckSchedule, SaysWhatIsWrong) {
  const std::string begin = "schedule of groups: ", end = ": compute the schedule again, or mend it";
  const auto expect = [&](const std::string& problem, const std::function<void(GroupSchedule&)>& spoil) {
    EXPECT_EQ(refusal(spoil), begin + problem + end);
  };
  expect("task 'sum' is missing", [](GroupSchedule& schedule) {
    schedule.tasks.pop_back();
    schedule.makespan = 1;
  });
  expect("task 'smooth' is there twice", [](GroupSchedule& schedule) { schedule.tasks[1].task = 0; });
  expect("there is no task with the id 2", [](GroupSchedule& schedule) { schedule.tasks[1].task = 2; });
  expect("task 'sum' has 0 ranks, and may have 1 to 2",
         [](GroupSchedule& schedule) { schedule.tasks[1].ranks.clear(); });
  expect("task 'sum' has 3 ranks, and may have 1 to 2", [](GroupSchedule& schedule) {
    schedule.tasks[1].ranks = {0, 1, 2};
  });
  expect("task 'smooth' has rank 4, and the machine has ranks 0 to 3",
         [](GroupSchedule& schedule) { schedule.tasks[0].ranks[0] = 4; });
  expect("task 'smooth' has rank -1, and the machine has ranks 0 to 3",
         [](GroupSchedule& schedule) { schedule.tasks[0].ranks[0] = -1; });
  expect("task 'smooth' has rank 0 twice", [](GroupSchedule& schedule) { schedule.tasks[0].ranks[0] = 0; });
  expect("task 'smooth' has 0.9 seconds, and takes 1 on 2 ranks",
         [](GroupSchedule& schedule) { schedule.tasks[0].finish = 0.9; });
  expect("task 'smooth' runs from -1 to 1 seconds",
         [](GroupSchedule& schedule) { schedule.tasks[0].start = -1; });
  expect("task 'smooth' runs from nan to 1 seconds",
         [](GroupSchedule& schedule) { schedule.tasks[0].start = std::nan(""); });
  expect("the makespan is 2, but the last task ends at 3",
         [](GroupSchedule& schedule) { schedule.makespan = 2; });
  expect("the machine has 0 ranks", [](GroupSchedule& schedule) { schedule.ranks = 0; });
  // Its only receiver gets two messages, which start in half a second each.
  expect("task 'sum' starts at 1.9, but array 'image' of task 'smooth' is there at 2",
         [](GroupSchedule& schedule) { schedule.tasks[1].start = 1.9; });
}

TEST(CheckSchedule, RefusesMoreTasksAtOnceThanRanks) {
  std::vector<group::Task> tasks;
  GroupSchedule schedule{"by hand", 2, {}, 1, 0, 0};
  for (int i = 0; i < 3; ++i) {
    tasks.push_back({std::to_string(i), TaskCost::amdahl(1, 0), "", {}});
    schedule.tasks.push_back({i, {i % 2}, 0, 1});
  }
  EXPECT_EQ(
      test::message_of<InputError>([&] { group::check_schedule(TaskGraph(tasks, {}), network, schedule); }),
      "schedule of groups: rank 0 has the tasks '0' and '2' at the same time: compute the schedule again, or "
      "mend it");
}

TEST(CheckSchedule, ComparesTheItemsOfAStream) {
  const TaskGraph graph({{"a", TaskCost::amdahl(1, 0), "", {}}, {"b", TaskCost::amdahl(1, 0), "", {}}},
                        {{"a", "b", "", 0}});
  GroupSchedule schedule{"by hand", 1, {{0, {0}, 0, 1}, {1, {0}, 3, 4}}, 4, 0, 2};
  EXPECT_EQ(test::message_of<InputError>([&] { group::check_schedule(graph, network, schedule); }),
            "nothing was thrown");
  schedule.tasks[1] = {1, {0}, 3.5, 4.5};
  schedule.makespan = 4.5;
  EXPECT_EQ(test::message_of<InputError>([&] { group::check_schedule(graph, network, schedule); }),
            "schedule of groups: rank 0 has the tasks 'b' and 'a' at the same time: compute the schedule "
            "again, or mend it");
  schedule.period = 0.5;
  EXPECT_EQ(test::message_of<InputError>([&] { group::check_schedule(graph, network, schedule); }),
            "schedule of groups: task 'a' takes 1 seconds, which is more than the period of 0.5: compute the "
            "schedule again, or mend it");
}

TEST(CheckGroupsAndOrder, LooksAtNoTimesButTheOrderOfTheStarts) {
  const auto refusal_of = [](const std::vector<group::ScheduledTask>& tasks) {
    return test::message_of<InputError>([&] {
      group::check_groups_and_order(pair_graph(), {"by hand", 4, tasks, 0, 0, 0});
    });
  };
  const std::string begin = "schedule of groups: ", end = ": compute the schedule again, or mend it";
  // The tasks overlap on a rank, and end before they begin.
  EXPECT_EQ(refusal_of({{0, {2, 0}, 7, 0}, {1, {2}, 7, 0}}), "nothing was thrown");
  EXPECT_EQ(refusal_of({{1, {1}, 1, 2}, {0, {0}, 3, 4}}),
            begin + "task 'sum' starts at 1, before task 'smooth', whose array 'image' it reads, at 3" + end);
  EXPECT_EQ(refusal_of({{0, {0}, -1, 2}, {1, {1}, 1, 2}}),
            begin + "task 'smooth' starts at -1, but no task starts before 0" + end);
  EXPECT_EQ(refusal_of({{1, {1}, 1, 2}}), begin + "task 'smooth' is missing" + end);
  EXPECT_EQ(refusal_of({{0, {}, 0, 1}, {1, {1}, 1, 2}}),
            begin + "task 'smooth' has 0 ranks, and may have 1 to 4" + end);
}

TEST(ScheduleJson, ComesBack) {
  test::Random random(4);
  for (int round = 0; round < 20; ++round) {
    const TaskGraph graph = test::small_graph(random, random.small(1, 12), 100);
    const GroupSchedule schedule =
        group::allocate(graph, random.small(1, 100), {group::Strategy::mixed, network, 30});
    EXPECT_EQ(group::schedule_from_json(graph, group::to_json(graph, schedule)), schedule);
  }
  const std::string text = group::to_json(pair_graph(), pair_schedule());
  EXPECT_NE(text.find("\"task\": \"smooth\""), std::string::npos) << text;
  EXPECT_EQ(group::schedule_from_json(pair_graph(), text), pair_schedule());
  const GroupSchedule least = group::schedule_from_json(
      pair_graph(),
      R"({"format": 1, "strategy": "s", "ranks": 4, "tasks": [{"task": "sum", "ranks": [[1, 3]], "start": 2}]})");
  EXPECT_EQ(least, (GroupSchedule{"s", 4, {{1, {1, 2}, 2, 0}}, 0, 0, 0}));
}

std::string refused_text(const std::string& from, const std::string& to) {
  std::string text = group::to_json(pair_graph(), pair_schedule());
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  text.replace(place, from.size(), to);
  return test::message_of<InputError>([&] { group::schedule_from_json(pair_graph(), text); });
}

TEST(ScheduleJson, SaysWhatIsWrong) {
  const std::string begin = "schedule of groups: ", end = ": save the schedule again, or mend it";
  EXPECT_EQ(refused_text("{", "{,"), begin + "the text is no JSON at byte 2" + end);
  EXPECT_EQ(refused_text("\"format\": 1", "\"format\": 7"),
            begin + "it has the format 7, and this version reads format 1" + end);
  EXPECT_EQ(refused_text("\"strategy\"", "\"s\""), begin + "the schedule has no 'strategy'" + end);
  EXPECT_EQ(refused_text("\"ranks\": 4", "\"ranks\": 0"),
            begin + "'ranks' expects an integer from 1 to 16777216" + end);
  EXPECT_EQ(refused_text("\"smooth\"", "\"smoth\""),
            begin + "the graph has no task 'smoth'; did you mean 'smooth'?");
  EXPECT_EQ(refused_text("\"smooth\"", "\"edges\""),
            begin + "the graph has no task 'edges', but smooth, sum" + end);
  EXPECT_EQ(refused_text("\"smooth\"", "7"),
            begin + "'task' of entry 0 of 'tasks' expects a text without control characters" + end);
  EXPECT_EQ(refused_text("\"start\": 0.0", "\"start\": \"0\""),
            begin + "'start' of task 'smooth' expects a number" + end);
  EXPECT_EQ(refused_text("\"period\": 0.0", "\"period\": null"),
            begin + "'period' of the schedule expects a number" + end);
  const std::string where = "'ranks' of task 'sum' ";
  const std::string ranks = "[\n          1,\n          2\n        ]";
  EXPECT_EQ(refused_text(ranks, "[1, 5]"),
            begin + where + "has [1, 5], but ranges lie within [0, 4], and begin before they end" + end);
  EXPECT_EQ(refused_text(ranks, "[2, 1]"),
            begin + where + "has [2, 1], but ranges lie within [0, 4], and begin before they end" + end);
  EXPECT_EQ(refused_text(ranks, "[-1, 2]"),
            begin + where + "has [-1, 2], but ranges lie within [0, 4], and begin before they end" + end);
  EXPECT_EQ(
      refused_text(ranks, "[0, 99999999999]"),
      begin + where + "has [0, 99999999999], but ranges lie within [0, 4], and begin before they end" + end);
  EXPECT_EQ(refused_text(ranks, "[1]"), begin + where + "expects ranges [begin, end]" + end);
  EXPECT_EQ(refused_text(ranks, "[1, 2.5]"), begin + where + "expects ranges [begin, end] of integers" + end);
  EXPECT_EQ(refused_text(ranks, "[0, 4], [0, 1]"), begin + where + "has a rank twice" + end);
  EXPECT_EQ(test::message_of<InputError>([] { group::schedule_from_json(pair_graph(), "[]"); }),
            begin + "the schedule is not an object" + end);
}

}  // namespace
