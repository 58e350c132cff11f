// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan_file/plan_json.hpp"

#include <gtest/gtest.h>

#include "json_support.hpp"
#include "pipeline/plan_sample.hpp"
#include "tessera/domain/json.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan_file/detail/plan_fields.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;

/// Becomes a member of any type.
struct AnyMember {
  template <class Value>
  operator Value() const;
};

/// The number of members of a structure: this many values initialise it, and one more does not.
template <class Structure, class... Members>
constexpr std::size_t count_members() {
  if constexpr (requires { Structure{Members()..., AnyMember()}; })
    return count_members<Structure, Members..., AnyMember>();
  else
    return sizeof...(Members);
}

template <class Structure>
constexpr bool has_children = requires(const Structure& structure) { structure.children; };

/// Does not compile if `fields_of` lacks a member of a structure. Children are written without it.
template <class Structure>
constexpr void check_fields() {
  static_assert(count_members<Structure>() == std::tuple_size_v<decltype(detail::fields_of<Structure>)> +
                                                  (has_children<Structure> ? 1 : 0));
}
template <class... Steps>
constexpr void check_fields_of_all(const std::variant<Steps...>*) {
  (check_fields<Steps>(), ...);
}

TEST(PlanJson, HasEveryMember) {
  check_fields_of_all(static_cast<const plan::Step*>(nullptr));
  using Others = std::variant<Plan, Target, ArrayRegions, GridDigit, Buffer, Band, Message, ExchangeLists,
                              plan::ArrayMessages, plan::Scratch, plan::Contribution>;
  check_fields_of_all(static_cast<const Others*>(nullptr));
}

const Json::List& list(const Json& json, std::string_view name) { return json.find(name)->get<Json::List>(); }

/// Expects that a part of a JSON text has all nodes at and below `node`.
void expect_nodes(const Json& json, const PlanNode& node) {
  EXPECT_EQ(*json.find("id"), node.id);
  EXPECT_EQ(*json.find("kind"), step_kind(node));
  const auto* children = children_of(node);
  ASSERT_EQ(json.find("children") != nullptr, children != nullptr);
  if (children == nullptr) return;
  ASSERT_EQ(list(json, "children").size(), children->size());
  for (std::size_t i = 0; i < children->size(); ++i) expect_nodes(list(json, "children")[i], (*children)[i]);
}

/// Expects that the JSON text of plans has every plan, with all nodes.
void expect_plans(const Algorithm& pipeline, const std::vector<Plan>& plans) {
  const Json json = parse_json(to_json(pipeline, plans));
  EXPECT_EQ(list(json, "pipeline").size(), static_cast<std::size_t>(pipeline.size()));
  ASSERT_EQ(list(json, "plans").size(), plans.size());
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    const Json& plan = list(json, "plans")[rank];
    EXPECT_EQ(*plan.find("rank"), static_cast<int>(rank));
    EXPECT_EQ(list(plan, "stages").size(), plans[rank].stages.size());
    EXPECT_EQ(list(plan, "buffers").size(), plans[rank].buffers.size());
    expect_nodes(*plan.find("root"), plans[rank].root);
  }
}

TEST(PlanJson, HasEveryNodeOfRandomPlans) {
  test::Random random(211);
  for (int i = 0; i < 60; ++i) {
    const test::Graph graph = test::random_graph(random, true);
    expect_plans(graph.pipeline, test::random_plans(random, graph, 6));
  }
}

TEST(PlanJson, HasEveryKindOfNode) {
  const Pipeline looping = test::looping_pipeline();
  const Plan plan = make_plan(looping, {}, {}, 1, 0);
  expect_plans(looping, {plan});
  const std::string text = to_json(looping, plan);
  EXPECT_EQ(text, to_json(looping, std::vector{plan}));
  for (const char* kind : {"sequence", "repeat", "read", "write", "boundary", "compute", "reduce", "swap"})
    EXPECT_NE(text.find(std::string("\"").append(kind).append("\"")), std::string::npos) << kind;
  const std::string plans = to_json(test::sample_pipeline(), make_plans(test::sample_pipeline(), {}, {}, 3));
  EXPECT_NE(plans.find("\"exchange\""), std::string::npos);
}

Json json_of(const Box& box) {
  Json::List ranges;
  for (int d = 0; d < box.dimensions; ++d) ranges.push_back(Json::List{box[d].begin, box[d].end});
  return ranges;
}

TEST(PlanJson, HasTheValuesOfThePlan) {
  const Box box{{0, 12}, {0, 12}};
  const Pipeline pipeline = test::blur_pipeline<float>(box, box);
  Schedule schedule;
  schedule.slicing = Slicing::balanced;
  schedule.overlap = Overlap::off;
  schedule.stages["bh"].placement = Placement::tile;
  const Plan plan = make_plan(pipeline, schedule, {}, 3, 1);
  const Json json = list(parse_json(to_json(pipeline, plan)), "plans").front();
  EXPECT_EQ(*json.find("rank_count"), 3);
  EXPECT_EQ(*json.find("array_bytes"), plan.array_bytes);
  EXPECT_EQ(*json.find("target")->find("device"), plan.target.device);
  const Json& stage = list(json, "stages")[1];
  EXPECT_EQ(*stage.find("placement"), std::string(name_of(plan.stages[ArrayId{1}].placement)));
  EXPECT_EQ(*stage.find("slicing"), "balanced");
  EXPECT_EQ(*stage.find("grid")->find("size"), (Json::List{1, 3}));
  EXPECT_EQ(*stage.find("owned"), json_of(plan.stages[ArrayId{1}].owned));
  const plan::Exchange* exchange = nullptr;
  walk(plan.root, [&](const PlanNode& node) {
    if (const auto* found = std::get_if<plan::Exchange>(&node.step)) exchange = found;
  });
  ASSERT_NE(exchange, nullptr);
  const Message& message = exchange->arrays.front().lists.sends.front();
  Json expected;
  expected["box"] = json_of(message.box);
  expected["in_place"] = message.in_place;
  expected["partner"] = message.partner;
  expected["shift"] = Json::List{0, 0, 0, 0};
  EXPECT_NE(to_text(json).find("\"sends\":[" + to_text(expected)), std::string::npos);
}

struct Same {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y);
  }
};

TEST(PlanJson, DescribesThePipeline) {
  Pipeline pipeline;
  const Box box{{0, 12}, {0, 9}};
  BoundaryConditions mixed(Boundary::mirror);
  mixed.side[1][1] = Boundary::clamp;
  const auto input = pipeline.input<float, 2>("input", box, mixed);
  pipeline.output(pipeline.stage<float>("same", Same(), input), box);
  const std::string text = to_json(pipeline, make_plan(pipeline, {}, {}, 1, 0));
  EXPECT_NE(text.find(R"("boundary":[["mirror","mirror"],["mirror","clamp"]])"), std::string::npos) << text;
  const Json json = parse_json(text);
  const Json& stage = list(json, "pipeline")[1];
  EXPECT_EQ(*stage.find("name"), "same");
  EXPECT_EQ(*stage.find("reads"), (Json::List{"input"}));
  EXPECT_EQ(*stage.find("output"), true);
  EXPECT_EQ(*stage.find("type"), "float32");
  const Pipeline looping = test::looping_pipeline();
  const Json with_loop = parse_json(to_json(looping, make_plan(looping, {}, {}, 1, 0)));
  const Json& loop = list(with_loop, "loops").front();
  EXPECT_EQ(*loop.find("name"), "smooth");
  EXPECT_EQ(*loop.find("maximum"), 4);
  EXPECT_EQ(*loop.find("condition"), to_int(looping.find("most")));
}

}  // namespace
