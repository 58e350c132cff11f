// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/explain/explain.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "pipeline/plan_sample.hpp"
#include "pipeline/random_bodies.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan_work.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;

/// The lines of an explanation from the tree on, without ids and indentation.
std::vector<std::string> step_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text.substr(text.find("     0 plan")));
  for (std::string line; std::getline(stream, line);) {
    const std::size_t begin = line.find_first_not_of(" 0123456789");
    lines.push_back(begin == std::string::npos ? "" : line.substr(begin));
  }
  return lines;
}

/// One of the lines begins so.
bool has(const std::vector<std::string>& lines, const std::string& line) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& other) { return other.substr(0, line.size()) == line; });
}

TEST(Explain, EveryKindOfNode) {
  const Pipeline pipeline = test::looping_pipeline();
  const std::string text = explain(pipeline, make_plan(pipeline, {}, {}, 1, 0));
  const std::vector<std::string> lines = step_lines(text);
  for (const char* line :
       {"read u [0, 16) x [0, 12)", "smooth: repeat at most 4 times, until most is not zero",
        "fill the border of u in [-1, 16) x [0, 13): what lies outside the image, by ",
        "contribute to most on [0, ", "reduce most over all ranks", "compute next on [0, 16) x [0, 12)",
        "swap u and next", "write u [0, 16) x [0, 12)"})
    EXPECT_TRUE(has(lines, line)) << line << " in\n" << text;
}

TEST(Explain, BuffersShowWhereMemoryIsUsedAgain) {
  const Pipeline pipeline = test::sample_pipeline();
  const Plan plan = make_plan(pipeline, {}, {}, 1, 0);
  const std::string text = explain(pipeline, plan);
  for (const BufferId i : plan.buffers.ids()) {
    const Buffer& buffer = plan.buffers[i];
    const std::string expected = " " + std::to_string(to_int(i)) + ": " + human_bytes(buffer.bytes) + " at " +
                                 std::to_string(buffer.offset) + ", used by nodes " +
                                 std::to_string(buffer.first_node) + " to " +
                                 std::to_string(buffer.last_node);
    EXPECT_NE(text.find(expected), std::string::npos) << expected << " in\n" << text;
  }
}

/// Two inputs, read by one stage: both are exchanged together.
Pipeline two_inputs() {
  Pipeline pipeline;
  const Box box{{0, 8}, {0, 8}};
  const auto a = pipeline.input<float, 2>("a", box, Boundary::clamp);
  const auto b = pipeline.input<float, 2>("b", box, Boundary::clamp);
  pipeline.output(pipeline.stage<float>("sum", test::Mixed{1.0f}, a, b));
  return pipeline;
}

TEST(Explain, OneMessagePerPartnerWhateverTheArrays) {
  const Pipeline pipeline = two_inputs();
  PlanTotals totals;
  const std::vector<Plan> plans = make_plans(pipeline, {}, {}, 2);
  for (const Plan& plan : plans) totals.add(pipeline, plan);
  // Rank 0 needs row 4 of a, rank 1 row 3 of b except its first point.
  EXPECT_EQ(totals.messages, 2);
  EXPECT_EQ(totals.message_bytes, (8 + 7) * 4);
  EXPECT_EQ(totals.exchanged_bytes, (IdVector<ArrayId, std::int64_t>{32, 28, 0}));
  const std::vector<std::string> lines = step_lines(explain(pipeline, plans[0]));
  EXPECT_TRUE(has(lines, "exchange a, b: sends 1 message of 28 bytes, receives 1 of 32 bytes"));
  EXPECT_TRUE(has(lines, "from rank 1: a [0, 8) x [4, 5), 32 bytes"));
}

TEST(Explain, OverlappedExchangesAreWaitedFor) {
  const Pipeline pipeline = two_inputs();
  Schedule schedule;
  schedule.overlap = Overlap::on;
  const Plan plan = make_plan(pipeline, schedule, {}, 2, 0);
  int exchange = -1;
  walk(plan.root, [&](const PlanNode& node) {
    if (std::holds_alternative<plan::Exchange>(node.step)) exchange = node.id;
  });
  const std::vector<std::string> lines = step_lines(explain(pipeline, plan));
  EXPECT_TRUE(has(lines, "exchange a, b: sends 1 message of 28 bytes, receives 1 of 32 bytes, overlapped"));
  EXPECT_TRUE(has(lines, "wait for exchange " + std::to_string(exchange)));
}

struct Turned {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(y, x);
  }
};
struct TurnedInBlocks : Turned {
  static constexpr bool transposes = true;
};

template <class Body>
bool is_advised_to_transpose(const Body& body) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", Box{{0, 9}, {0, 7}}, Boundary::clamp);
  pipeline.output(pipeline.stage<float>("body", body, input), Box{{0, 7}, {0, 7}});
  const std::string text = explain(pipeline, make_plan(pipeline, {}, {}, 1, 0));
  return text.find("with a member `transposes` in its body") != std::string::npos;
}

TEST(Explain, BodiesThatCouldTransposeAreNamed) {
  EXPECT_TRUE(is_advised_to_transpose(Turned{}));
  EXPECT_FALSE(is_advised_to_transpose(TurnedInBlocks{}));
  EXPECT_FALSE(is_advised_to_transpose(test::Up{0.5f}));
}

TEST(PlanWork, CountsWhatStepsReadAndWrite) {
  const Pipeline pipeline = two_inputs();
  const Plan plan = make_plan(pipeline, {}, {}, 2, 0);
  int steps = 0;
  walk(plan.root, [&](const PlanNode& node) {
    const StepWork work = work_of(pipeline, node);
    if (std::holds_alternative<plan::Compute>(node.step)) {
      // 8 x 4 points of a, one row further down; 8 x 4 of b one point to the right and one up; as many
      // results.
      EXPECT_EQ(work.points, 32);
      EXPECT_EQ(work.bytes, 4 * (32 + 32 + 32));
      ++steps;
    }
    if (std::holds_alternative<plan::Read>(node.step)) {
      EXPECT_EQ(work.points, 32);
      EXPECT_EQ(work.bytes, 128);
      ++steps;
    }
    if (const auto* exchange = std::get_if<plan::Exchange>(&node.step)) {
      EXPECT_EQ(work.bytes, sent(pipeline, *exchange).bytes);
      ++steps;
    }
  });
  EXPECT_EQ(steps, 4);
}

TEST(PlanWork, TilesReadTheirInputsOnce) {
  const Pipeline pipeline = test::sample_pipeline(16, 12);
  Schedule schedule;
  schedule.stages["a"].placement = Placement::tile;
  schedule.stages["b"].tile = {16, 4};
  const Plan plan = make_plan(pipeline, schedule, {}, 1, 0);
  walk(plan.root, [&](const PlanNode& node) {
    const auto* step = std::get_if<plan::Compute>(&node.step);
    if (step == nullptr || step->members.size() < 2) return;
    const StepWork work = work_of(pipeline, node);
    // b on 16 x 12; a in three tiles of 17 x 5; the input on 18 x 14.
    EXPECT_EQ(work.points, 16 * 12 + 3 * 17 * 5);
    EXPECT_EQ(work.bytes, 4 * (16 * 12 + 18 * 14));
  });
}

}  // namespace
