// SPDX-License-Identifier: BSD-3-Clause
// The examples of Distributed Halide (Denniston, Kamil, Amarasinghe, PPoPP 2016), sections 3.3 and 3.4.
#include <gtest/gtest.h>

#include "domain/random.hpp"
#include "pipeline/plan_sample.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;

/// f(x) = (input(x - 1) + input(x + 1)) / 2
struct MeanOfNeighbours {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return (in(x - 1) + in(x + 1)) / 2;
  }
};

Pipeline introductory_example() {
  Pipeline pipeline;
  const auto input = pipeline.input<int, 1>("input", Box{{0, 10}}, Boundary::clamp);
  pipeline.output(pipeline.stage<int>("f", MeanOfNeighbours{}, input));
  return pipeline;
}

TEST(Paper, TableOfTheIntroductoryExample) {
  const Pipeline pipeline = introductory_example();
  // Half-open, where the paper writes 0-3, 4-7, 8-9 and 0-4, 3-8, 7-9.
  const Box owned[] = {Box{{0, 4}}, Box{{4, 8}}, Box{{8, 10}}};
  const Box required[] = {Box{{0, 5}}, Box{{3, 9}}, Box{{7, 10}}};
  const Box with_border[] = {Box{{-1, 5}}, Box{{3, 9}}, Box{{7, 11}}};
  for (int rank = 0; rank < 3; ++rank) {
    const Plan plan = make_plan(pipeline, {}, {}, 3, rank);
    EXPECT_EQ(plan.stages[ArrayId{1}].owned, owned[rank]);
    EXPECT_EQ(plan.stages[ArrayId{1}].computed, owned[rank]);
    EXPECT_EQ(plan.stages[ArrayId{0}].owned, owned[rank]);
    EXPECT_EQ(plan.stages[ArrayId{0}].required_within_domain, required[rank]);
    EXPECT_EQ(plan.stages[ArrayId{0}].required, with_border[rank]);
  }
}

ExchangeLists messages_of(const Plan& plan, ArrayId array) {
  for (const PlanNode& node : phase(plan, "compute").children)
    if (const auto* exchange = std::get_if<plan::Exchange>(&node.step))
      for (const plan::ArrayMessages& messages : exchange->arrays)
        if (messages.array == array) return messages.lists;
  return {};
}

TEST(Paper, RankOneSendsFourAndSeven) {
  const ExchangeLists lists = messages_of(make_plan(introductory_example(), {}, {}, 3, 1), ArrayId{0});
  EXPECT_EQ(lists.sends, (std::vector<Message>{{0, Box{{4, 5}}, {}, true}, {2, Box{{7, 8}}, {}, true}}));
  EXPECT_EQ(lists.receives, (std::vector<Message>{{0, Box{{3, 4}}, {}, true}, {2, Box{{8, 9}}, {}, true}}));
}

/// The line of an explanation that begins with `key`, first below the line that holds `section`.
std::string line_of(const std::string& text, const std::string& section, const std::string& key) {
  const std::size_t start = text.find(key + " ", text.find(section));
  return start == std::string::npos ? "" : text.substr(start, text.find('\n', start) - start);
}

TEST(Paper, ExplanationShowsBothRequiredBoxes) {
  const Pipeline pipeline = introductory_example();
  const std::string text = explain(pipeline, make_plan(pipeline, {}, {}, 3, 0));
  const auto line = [&](const std::string& key) { return line_of(text, "input 'input'", "    " + key); };
  EXPECT_EQ(text.substr(0, text.find('\n')), "rank 0 of 3");
  EXPECT_EQ(line("owned"), "    owned                       [0, 4)");
  EXPECT_EQ(line("required"), "    required                    [-1, 5)");
  EXPECT_EQ(line("required within the domain"), "    required within the domain  [0, 5)");
  EXPECT_EQ(line("ghosts"), "    ghosts                      [-1, 0), [4, 5)");
  EXPECT_NE(text.find("from rank 1: [4, 5), 4 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("to rank 1: [3, 4), 4 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("exchange input: sends 1 message of 4 bytes, receives 1 of 4 bytes"), std::string::npos)
      << text;
  EXPECT_NE(text.find("peak memory "), std::string::npos);
}

/// The blur of a 12x12 image on three ranks by rows: rank r owns 4 rows of the result. bh is needed one row
/// further up and down: its 14 rows [-1, 13) belong to the ranks as 5, 4 and 5 of 12 points each.
struct Blur {
  Pipeline pipeline = test::blur_pipeline<std::uint16_t>(Box{{0, 12}, {0, 12}}, Box{{0, 12}, {0, 12}});
  Schedule schedule;
  std::vector<Plan> plans;
  PlanTotals totals;

  explicit Blur(Placement placement) {
    schedule.stages["bh"].placement = placement;
    schedule.stages["bv"].tile = {12, 1};  // a row at a time, as compute_at(bv, y)
    for (int rank = 0; rank < 3; ++rank) {
      plans.push_back(make_plan(pipeline, schedule, {}, 3, rank));
      totals.add(pipeline, plans.back());
    }
  }
  std::int64_t computed(int rank) const {
    return plans[static_cast<std::size_t>(rank)].stages[ArrayId{1}].computed_points;
  }
  std::int64_t redundant(int rank) const {
    return plans[static_cast<std::size_t>(rank)].stages[ArrayId{1}].redundant_points;
  }
};

TEST(Paper, DistributedStagesExchangeAndRepeatNothing) {
  // Every rank computes what it owns of bh and reads only its own rows of the input. Of bh rank 0 needs row
  // 4, rank 1 rows 3 and 8, rank 2 row 7: four messages of 12 points of 2 bytes.
  const Blur blur(Placement::distributed);
  EXPECT_EQ(blur.totals.messages, 4);
  EXPECT_EQ(blur.totals.message_bytes, 4 * 12 * 2);
  EXPECT_EQ(blur.totals.redundant_points, 0);
  EXPECT_EQ(blur.computed(0), 5 * 12);
  EXPECT_EQ(blur.computed(1), 4 * 12);
  EXPECT_EQ(blur.computed(2), 5 * 12);
  EXPECT_EQ(messages_of(blur.plans[1], ArrayId{1}).receives,
            (std::vector<Message>{{0, Box{{0, 12}, {3, 4}}, {}, true}, {2, Box{{0, 12}, {8, 9}}, {}, true}}));
  EXPECT_TRUE(messages_of(blur.plans[1], ArrayId{0}).receives.empty());
}

TEST(Paper, StagesPerRankRepeatRowsBetweenRanks) {
  // Every rank computes 6 rows of bh and receives the rows of the input instead, as many as it would have of
  // bh. Redundant: the rows of other ranks, 1, 2 and 1 of 12 points.
  const Blur blur(Placement::rank);
  EXPECT_EQ(blur.totals.messages, 4);
  EXPECT_EQ(blur.totals.message_bytes, 4 * 12 * 2);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(blur.computed(rank), 6 * 12);
    EXPECT_EQ(blur.redundant(rank), (rank == 1 ? 2 : 1) * 12);
    EXPECT_TRUE(messages_of(blur.plans[static_cast<std::size_t>(rank)], ArrayId{1}).sends.empty());
  }
}

TEST(Paper, ReplicatedStagesAreComputedByAll) {
  // Every rank computes all 14 rows and needs the whole input: 8 rows in two messages of 4.
  const Blur blur(Placement::replicated);
  EXPECT_EQ(blur.totals.messages, 6);
  EXPECT_EQ(blur.totals.message_bytes, 6 * 4 * 12 * 2);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(blur.computed(rank), 14 * 12);
    EXPECT_EQ(blur.redundant(rank), (rank == 1 ? 10 : 9) * 12);
  }
}

TEST(Paper, StagesPerTileRepeatRowsWithinARankToo) {
  // Each of the 4 rows of bv computes 3 rows of bh: 12 rows, where 5, 4 and 5 are the rank's own.
  const Blur blur(Placement::tile);
  EXPECT_EQ(blur.totals.messages, 4);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(blur.computed(rank), 4 * 3 * 12);
    EXPECT_EQ(blur.redundant(rank), (12 - (rank == 1 ? 4 : 5)) * 12);
  }
  EXPECT_EQ(blur.totals.redundant_points, (7 + 8 + 7) * 12);
}

TEST(Paper, SummaryTellsTheSchedulesApart) {
  const Blur blur(Placement::rank);
  EXPECT_EQ(summary(blur.pipeline, blur.plans[0], blur.totals).substr(0, 74),
            "input on [1, 3], bh rank, bv distributed: 4 messages of 96 bytes in all, 4");
}

}  // namespace
