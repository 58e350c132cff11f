// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "domain/random.hpp"
#include "tessera/group/schedule.hpp"

namespace {

using namespace tessera;
using cost::TaskCost;
using group::GroupSchedule;
using group::TaskGraph;
using group::TaskId;

TaskGraph drawn_graph() {
  return {{{"a<b", TaskCost::amdahl(4, 0), "blur", {}}, {"sum", TaskCost::amdahl(1, 0), "", {}}},
          {{TaskId(0), TaskId(1), "image", 2048}}};
}

GroupSchedule drawn_schedule() {
  return {"search", 8, {{TaskId(0), {0, 1, 2, 7}, 0, 1}, {TaskId(1), {3}, 1, 2}}, 2, 1.6, 0};
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(RankRanges, AreWrittenShort) {
  EXPECT_EQ(group::ranges_text(std::vector<int>{0, 1, 2, 7}), "0-2, 7");
  EXPECT_EQ(group::ranges_text(std::vector<int>{3, 2, 1}), "3, 2, 1");
  EXPECT_EQ(group::ranges_text({}), "");
  const std::vector<int> ranks{5, 6, 1, 9};
  EXPECT_EQ(group::ranks_of(group::ranges_of(ranks)), ranks);
}

TEST(Gantt, TableForPeople) {
  EXPECT_EQ(group::to_text(drawn_graph(), drawn_schedule()),
            "task  ranks        start/s      finish/s    share\n"
            "a<b   0-2, 7             0             1   50.0 %\n"
            "sum   3                  1             2   50.0 %\n"
            "strategy search, 8 ranks, makespan 2 s, 1.250 of the lower bound 1.6 s\n");
  GroupSchedule stream = drawn_schedule();
  stream.period = 2;
  EXPECT_NE(group::to_text(drawn_graph(), stream)
                .find("period 2 s (0.5 items per second), latency 2 s, 1.250 of the lower bound 1.6 s"),
            std::string::npos);
}

TEST(Gantt, ChartHasABoxForEachRange) {
  const std::string svg = group::to_svg(drawn_graph(), drawn_schedule());
  EXPECT_EQ(svg.substr(0, 4), "<svg");
  EXPECT_EQ(count_of(svg, "stroke=\"#444\""), 3U);
  EXPECT_EQ(count_of(svg, "<title>a&lt;b: ranks 0-2, 7, 0 to 1 s</title>"), 1U);
  EXPECT_EQ(count_of(svg, "a<b"), 0U);
  EXPECT_EQ(count_of(svg, "strategy search, 8 ranks, makespan 2 s"), 1U);
  EXPECT_EQ(count_of(svg, "<g "), count_of(svg, "</g>"));
  EXPECT_EQ(count_of(svg, "http"), 1U) << "only the name of the format";
  GroupSchedule stream = drawn_schedule();
  stream.period = 2;
  EXPECT_EQ(count_of(group::to_svg(drawn_graph(), stream), "stroke=\"#444\""), 9U);
}

TEST(Gantt, ChartsOfManyRanksStaySmall) {
  GroupSchedule schedule{"data", 1024, {{TaskId(0), {}, 0, 1}, {TaskId(1), {}, 1, 2}}, 2, 1, 0};
  for (int rank = 0; rank < 1024; ++rank)
    for (group::ScheduledTask& task : schedule.tasks) task.ranks.push_back(rank);
  EXPECT_LT(group::to_svg(drawn_graph(), schedule).size(), 8000U);
  EXPECT_FALSE(group::to_svg(TaskGraph(), {}).empty());
}

TEST(GraphDot, HasCostsAndGroups) {
  EXPECT_EQ(group::to_dot(drawn_graph()),
            "digraph tasks {\n"
            "  node [shape=box];\n"
            "  task0 [label=\"a<b\\nblur\\n4 s on 1 rank\"];\n"
            "  task1 [label=\"sum\\n1 s on 1 rank\"];\n"
            "  task0 -> task1 [label=\"image\\n2.0 KiB\"];\n"
            "}\n");
  const GroupSchedule schedule = drawn_schedule();
  const std::string dot = group::to_dot(drawn_graph(), &schedule);
  EXPECT_NE(dot.find("a<b\\nblur\\n4 s on 1 rank\\n1 s on 4 ranks: 0-2, 7\", style=filled"),
            std::string::npos)
      << dot;
}

}  // namespace
