// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan_file/plan_json.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "messages.hpp"
#include "pipeline/plan_sample.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;
using test::expect_message;

TEST(PlanJson, RandomPlansComeBackAsTheyWere) {
  test::Random random(211);
  for (int i = 0; i < 60; ++i) {
    const test::Graph graph = test::random_graph(random, true);
    const std::vector<Plan> plans = test::random_plans(random, graph, 6);
    const std::string text = to_json(graph.pipeline, plans);
    const std::vector<Plan> read = plans_from_json(graph.pipeline, text);
    EXPECT_EQ(to_json(graph.pipeline, read), text) << graph.text();
    const auto expected = test::rehearse(graph, plans), results = test::rehearse(graph, read);
    for (std::size_t k = 0; k < results.size(); ++k)
      EXPECT_TRUE(results[k].same_bits(expected[k])) << graph.text() << "; output " << k;
    const std::string one = to_json(graph.pipeline, plans.back());
    EXPECT_EQ(to_json(graph.pipeline, plan_from_json(graph.pipeline, one)), one);
  }
}

TEST(PlanJson, AllKindsOfNodesComeBack) {
  const Pipeline pipeline = test::sample_pipeline();
  const std::string text = to_json(pipeline, test::plan_with_all_kinds(pipeline));
  EXPECT_EQ(to_json(pipeline, plan_from_json(pipeline, text)), text);
  for (const char* kind : {"sequence", "repeat", "items", "allocate", "free", "read", "write", "boundary",
                           "compute", "reduce", "swap"})
    EXPECT_NE(text.find(std::string("\"").append(kind).append("\"")), std::string::npos) << kind;
  const std::string plans = to_json(pipeline, make_plans(pipeline, {}, {}, 3));
  EXPECT_EQ(to_json(pipeline, plans_from_json(pipeline, plans)), plans);
  EXPECT_NE(plans.find("exchange"), std::string::npos);
}

TEST(PlanJson, PlansOfManyKindsOfPipelines) {
  const Pipeline pipeline = test::sample_pipeline();
  for (const bool device : {false, true})
    for (const Overlap overlap : {Overlap::on, Overlap::off})
      for (int ranks : {1, 5}) {
        Schedule schedule;
        schedule.overlap = overlap;
        schedule.stages["a"].placement = Placement::tile;
        schedule.stages["b"].tile = {4, 3};
        const std::string text =
            to_json(pipeline, make_plans(pipeline, schedule, {2, device, {ranks}}, ranks));
        EXPECT_EQ(to_json(pipeline, plans_from_json(pipeline, text)), text);
      }
}

std::string error_of(const Algorithm& pipeline, const std::string& text) {
  const std::string error = test::message_of<InputError>([&] { plan_from_json(pipeline, text); });
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  return error;
}

/// The point to the right.
struct Next {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x + 1, y);
  }
};

struct Same {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y);
  }
};

Pipeline blur(int height) {
  const Box box{{0, 12}, {0, height}};
  return test::blur_pipeline<std::uint16_t>(box, box);
}

TEST(PlanJson, PlansOfAnotherPipelineOrImage) {
  const std::string text = to_json(blur(12), make_plan(blur(12), {}, {}, 1, 0));
  expect_message(error_of(blur(13), text), {"another pipeline", "made for", "[0,12]]", "[0,13]]"});
  expect_message(error_of(test::sample_pipeline(), text).substr(0, 41), {"plan", "another pipeline"});
}

TEST(PlanJson, PlansWithOtherBoundaryConditions) {
  const Box box{{0, 12}, {0, 9}};
  const auto input_with = [&](const BoundaryConditions& boundary) {
    Pipeline pipeline;
    const auto input = pipeline.input<float, 2>("input", box, boundary);
    pipeline.output(pipeline.stage<float>("next", Next(), input), box);
    return pipeline;
  };
  const auto stage_with = [&](const BoundaryConditions& boundary) {
    Pipeline pipeline;
    const auto input = pipeline.input<float, 2>("input", box);
    const auto bounded = pipeline.stage<float>("bounded", Same(), input);
    pipeline.bound(bounded, box, boundary);
    pipeline.output(pipeline.stage<float>("next", Next(), bounded), box);
    return pipeline;
  };
  BoundaryConditions mixed(Boundary::mirror);
  mixed.side[1][1] = Boundary::clamp;
  const std::function<Pipeline(const BoundaryConditions&)> makers[] = {input_with, stage_with};
  for (const auto& make : makers) {
    const Pipeline saved = make(Boundary::mirror);
    const std::string text = to_json(saved, make_plan(saved, {}, {}, 1, 0));
    EXPECT_EQ(to_json(saved, plan_from_json(saved, text)), text);
    for (const BoundaryConditions& other :
         {BoundaryConditions(Boundary::periodic), BoundaryConditions::of_constant(0.F), mixed}) {
      const std::string error = error_of(make(other), text);
      EXPECT_NE(error.find(R"("boundary":[["mirror","mirror"],["mirror","mirror"]])"), std::string::npos)
          << error;
    }
  }
}

/// A text with one piece in place of another.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(PlanJson, TextsThatAreNoPlan) {
  const Pipeline pipeline = blur(12);
  const std::string text = to_json(pipeline, make_plan(pipeline, {}, {}, 1, 0));
  const auto after = [&](const char* from, const char* to) {
    return error_of(pipeline, changed(text, from, to));
  };
  expect_message(error_of(pipeline, ""), {"not JSON", "plan again"});
  EXPECT_EQ(error_of(pipeline, text.substr(0, text.size() / 2)).substr(0, 22), "is not JSON from line ");
  expect_message(error_of(pipeline, "[]"), {"expects an object", "plan again"});
  expect_message(after("tessera plan", "other plan"), {"'format'", "\"tessera plan\"", "plan again"});
  expect_message(after("\"version\": 9", "\"version\": 2"), {"'version'", "program knows", "plan again"});
  expect_message(after("\"rank_count\": 1", "\"rank_count\": \"1\""),
                 {"'plans[0].rank_count'", "got \"1\"", "plan again"});
  expect_message(after("\"rank_count\": 1", "\"rank_count\": 5000000000"),
                 {"'plans[0].rank_count'", "32 bits", "plan again"});
  expect_message(after("\"rank_count\": 1,", ""), {"'plans[0]'", "no 'rank_count'", "plan again"});
  expect_message(after("\"rank_count\": 1,", "\"rank_count\": 1, \"rnk\": 2,"),
                 {"'plans[0]'", "key \"rnk\"", "plan again"});
  expect_message(after("\"placement\": \"distributed\"", "\"placement\": \"somewhere\""),
                 {"'plans[0].stages[0].placement'", "got \"somewhere\"", "plan again"});
  expect_message(after("\"kind\":\"read\"", "\"kind\":\"guess\""), {"got \"guess\"", "plan again"});
  expect_message(after("\"name\": \"plan\"", R"("name": "pl\n")"),
                 {"'plans[0].root.name'", "control characters", R"(got "pl\n")"});
  expect_message(after("\"owned\": [[0,12],[0,12]]", "\"owned\": [[0,12],[0]]"),
                 {"'plans[0].stages[0].owned[1]'", "expects a range", "plan again"});
}

TEST(PlanJson, DeepNesting) {
  const Pipeline pipeline = blur(12);
  const std::string text = to_json(pipeline, make_plan(pipeline, {}, {}, 1, 0));
  std::string begin, end;
  for (int i = 0; i < 2000; ++i) {
    begin += R"({"id":1,"kind":"items","children":[)";
    end += "]}";
  }
  expect_message(error_of(pipeline, changed(text, "\"children\": [", "\"children\": [" + begin + end + ",")),
                 {"nested too deeply", "plan again"});
  error_of(pipeline, std::string(1 << 20, '['));
  error_of(pipeline, std::string(1 << 20, '[') + std::string(1 << 20, ']'));
}

}  // namespace
