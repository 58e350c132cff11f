// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "domain/random.hpp"
#include "messages.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/json.hpp"

namespace {

using namespace tessera;
using cost::TaskCost;
using group::GroupSchedule;
using group::TaskGraph;
using group::TaskId;
using test::expect_message;

const TaskId smooth{0}, sum{1};
const group::Communication network{{0.5, 0}, group::Travel::between_ranks};

TaskGraph pair_graph() {
  return {{{"smooth", TaskCost::amdahl(2, 0), "", {}}, {"sum", TaskCost::amdahl(1, 1), "", 2}},
          {{smooth, sum, "image", 8}}};
}

/// A schedule on 4 ranks that can be run.
GroupSchedule pair_schedule() {
  return {"made by hand", 4, {{smooth, {2, 0}, 0, 1}, {sum, {1}, 2, 3}}, 3, 0.5, 0};
}

std::string refusal(const std::function<void(GroupSchedule&)>& spoil) {
  GroupSchedule schedule = pair_schedule();
  spoil(schedule);
  return test::message_of<InputError>([&] { group::check_schedule(pair_graph(), network, schedule); });
}

TEST(CheckSchedule, AcceptsWhatCanBeRun) {
  EXPECT_EQ(refusal([](GroupSchedule&) {}), "nothing was thrown");
  // The array stays on the same ranks in the same order.
  EXPECT_EQ(refusal([](GroupSchedule& schedule) {
              schedule.tasks[1] = {sum, {2, 0}, 1, 3};
            }),
            "nothing was thrown");
}

TEST(CheckSchedule, SaysWhatIsWrong) {
  const auto expect = [&](const std::vector<std::string>& words,
                          const std::function<void(GroupSchedule&)>& spoil) {
    expect_message(refusal(spoil), words);
  };
  expect({"'sum'", "is missing"}, [](GroupSchedule& schedule) {
    schedule.tasks.pop_back();
    schedule.makespan = 1;
  });
  expect({"'smooth'", "there twice"}, [](GroupSchedule& schedule) { schedule.tasks[1].task = smooth; });
  expect({"no task", "the id 2"}, [](GroupSchedule& schedule) { schedule.tasks[1].task = TaskId(2); });
  expect({"'sum' has 0 ranks", "may have 1 to 2"},
         [](GroupSchedule& schedule) { schedule.tasks[1].ranks.clear(); });
  expect({"'sum' has 3 ranks", "may have 1 to 2"}, [](GroupSchedule& schedule) {
    schedule.tasks[1].ranks = {0, 1, 2};
  });
  expect({"'smooth' has rank 4", "ranks 0 to 3"},
         [](GroupSchedule& schedule) { schedule.tasks[0].ranks[0] = 4; });
  expect({"'smooth' has rank -1", "ranks 0 to 3"},
         [](GroupSchedule& schedule) { schedule.tasks[0].ranks[0] = -1; });
  expect({"'smooth' has rank 0", "twice"}, [](GroupSchedule& schedule) { schedule.tasks[0].ranks[0] = 0; });
  expect({"'smooth' has 0.9 seconds", "takes 1"},
         [](GroupSchedule& schedule) { schedule.tasks[0].finish = 0.9; });
  expect({"'smooth'", "from -1 to 1"}, [](GroupSchedule& schedule) { schedule.tasks[0].start = -1; });
  expect({"'smooth'", "from nan to 1"},
         [](GroupSchedule& schedule) { schedule.tasks[0].start = std::nan(""); });
  expect({"makespan is 2", "ends at 3"}, [](GroupSchedule& schedule) { schedule.makespan = 2; });
  expect({"machine has 0 ranks"}, [](GroupSchedule& schedule) { schedule.ranks = 0; });
  // Its only receiver gets two messages, which start in half a second each.
  expect({"'sum' starts at 1.9", "'smooth'", "there at 2"},
         [](GroupSchedule& schedule) { schedule.tasks[1].start = 1.9; });
}

TEST(CheckSchedule, RefusesMoreTasksAtOnceThanRanks) {
  std::vector<group::Task> tasks;
  GroupSchedule schedule{"by hand", 2, {}, 1, 0, 0};
  for (int i = 0; i < 3; ++i) {
    tasks.push_back({std::to_string(i), TaskCost::amdahl(1, 0), "", {}});
    schedule.tasks.push_back({TaskId(i), {i % 2}, 0, 1});
  }
  expect_message(
      test::message_of<InputError>([&] { group::check_schedule(TaskGraph(tasks, {}), network, schedule); }),
      {"'0'", "same time", "schedule again"});
}

TEST(CheckSchedule, ComparesTheItemsOfAStream) {
  const TaskGraph graph({{"a", TaskCost::amdahl(1, 0), "", {}}, {"b", TaskCost::amdahl(1, 0), "", {}}},
                        {{TaskId(0), TaskId(1), "", 0}});
  GroupSchedule schedule{"by hand", 1, {{TaskId(0), {0}, 0, 1}, {TaskId(1), {0}, 3, 4}}, 4, 0, 2};
  EXPECT_EQ(test::message_of<InputError>([&] { group::check_schedule(graph, network, schedule); }),
            "nothing was thrown");
  schedule.tasks[1] = {TaskId(1), {0}, 3.5, 4.5};
  schedule.makespan = 4.5;
  expect_message(test::message_of<InputError>([&] { group::check_schedule(graph, network, schedule); }),
                 {"'b'", "same time", "schedule again"});
  schedule.period = 0.5;
  expect_message(test::message_of<InputError>([&] { group::check_schedule(graph, network, schedule); }),
                 {"'a'", "takes 1 seconds", "schedule again"});
}

TEST(CheckGroupsAndOrder, LooksAtNoTimesButTheOrderOfTheStarts) {
  const auto refusal_of = [](const std::vector<group::ScheduledTask>& tasks) {
    return test::message_of<InputError>([&] {
      group::check_groups_and_order(pair_graph(), {"by hand", 4, tasks, 0, 0, 0});
    });
  };
  // The tasks overlap on a rank, and end before they begin.
  EXPECT_EQ(refusal_of({{smooth, {2, 0}, 7, 0}, {sum, {2}, 7, 0}}), "nothing was thrown");
  expect_message(refusal_of({{sum, {1}, 1, 2}, {smooth, {0}, 3, 4}}),
                 {"'sum'", "task 'smooth'", "whose array"});
  expect_message(refusal_of({{smooth, {0}, -1, 2}, {sum, {1}, 1, 2}}),
                 {"'smooth'", "no task", "starts before"});
  expect_message(refusal_of({{sum, {1}, 1, 2}}), {"task", "'smooth'", "missing"});
  expect_message(refusal_of({{smooth, {}, 0, 1}, {sum, {1}, 1, 2}}), {"'smooth'", "0 ranks", "may have"});
}

TEST(ScheduleJson, HasNamesAndRanges) {
  EXPECT_EQ(parse_json(group::to_json(pair_graph(), pair_schedule())), parse_json(R"({
    "format": 1, "strategy": "made by hand", "ranks": 4, "makespan": 3.0, "lower_bound": 0.5, "period": 0.0,
    "tasks": [{"task": "smooth", "ranks": [[2, 3], [0, 1]], "start": 0.0, "finish": 1.0},
              {"task": "sum", "ranks": [[1, 2]], "start": 2.0, "finish": 3.0}]
  })"));
}

}  // namespace
