// SPDX-License-Identifier: BSD-3-Clause
// Plans of random pipelines and schedules: what every plan must get right.
#include "tessera/pipeline/plan.hpp"

#include <gtest/gtest.h>

#include <map>

#include "apps/blur/stages.hpp"
#include "pipeline/random_graph.hpp"
#include "tessera/pipeline/explain.hpp"
#include "tessera/pipeline/rank_executor.hpp"
#include "tessera/pipeline/rehearsal.hpp"
#include "tessera/view/exchange.hpp"

namespace {

using namespace tessera;

struct Planned {
  test::Graph graph;
  Schedule schedule;
  Target target;
  std::vector<Plan> plans;

  std::string text() const {
    return graph.text()
        .append("; ")
        .append(test::to_string(schedule))
        .append(" on ")
        .append(std::to_string(plans.size()));
  }
};

Planned random_plans(test::Random& random) {
  Planned planned{test::random_graph(random, true), {}, {}, {}};
  planned.schedule = test::random_schedule(random, planned.graph.pipeline);
  planned.target.threads = random.small(1, 4);
  const int ranks = random.small(1, 20);
  for (int rank = 0; rank < ranks; ++rank)
    planned.plans.push_back(make_plan(planned.graph.pipeline, planned.schedule, planned.target, ranks, rank));
  return planned;
}

/// Calls visit(node) for every node, depth first.
template <class Visit>
void walk(const PlanNode& node, const Visit& visit) {
  visit(node);
  if (const auto* sequence = std::get_if<plan::Sequence>(&node.step))
    for (const PlanNode& child : sequence->children) walk(child, visit);
}

TEST(Plan, IdsAreDepthFirstAndTheSameOnAllRanks) {
  test::Random random(111);
  for (int i = 0; i < 60; ++i) {
    const Planned planned = random_plans(random);
    std::vector<std::string> labels;
    for (const Plan& plan : planned.plans) {
      std::vector<std::string> own;
      walk(plan.root, [&](const PlanNode& node) {
        EXPECT_EQ(node.id, static_cast<int>(own.size()));
        own.push_back(step_label(planned.graph.pipeline, node));
      });
      if (labels.empty()) labels = own;
      EXPECT_EQ(own, labels) << planned.text();
    }
    EXPECT_GT(labels.size(), 6u);
  }
}

TEST(Plan, EverySendHasItsReceive) {
  test::Random random(112);
  std::size_t messages = 0;
  for (int i = 0; i < 60; ++i) {
    const Planned planned = random_plans(random);
    const std::size_t steps = phase(planned.plans[0], "compute").children.size();
    for (std::size_t s = 0; s < steps; ++s) {
      std::vector<std::string> sent, received;
      for (const Plan& plan : planned.plans) {
        const auto* exchange = std::get_if<plan::ExchangeGhosts>(&phase(plan, "compute").children[s].step);
        if (exchange == nullptr) continue;
        for (const Message& m : exchange->lists.sends)
          sent.push_back(std::to_string(plan.rank)
                             .append(" to ")
                             .append(std::to_string(m.partner))
                             .append(to_string(m.box)));
        for (const Message& m : exchange->lists.receives)
          received.push_back(std::to_string(m.partner)
                                 .append(" to ")
                                 .append(std::to_string(plan.rank))
                                 .append(to_string(m.box)));
      }
      std::sort(sent.begin(), sent.end());
      std::sort(received.begin(), received.end());
      EXPECT_EQ(sent, received) << planned.text();
      messages += sent.size();
    }
  }
  EXPECT_GT(messages, 500u);
}

TEST(Plan, OutputsAndDistributedStagesAreComputedOnceByTheirOwners) {
  test::Random random(113);
  for (int i = 0; i < 60; ++i) {
    const Planned planned = random_plans(random);
    for (std::size_t s = 0; s < planned.plans[0].stages.size(); ++s) {
      const StageRegions& first = planned.plans[0].stages[s];
      std::int64_t points = 0, redundant = 0;
      for (const Plan& plan : planned.plans) {
        points += plan.stages[s].computed.size();
        redundant += plan.stages[s].redundant_points;
        EXPECT_GE(plan.stages[s].redundant_points, 0) << planned.text();
        EXPECT_EQ(plan.stages[s].domain, first.domain) << planned.text();
      }
      if (first.placement != Placement::distributed) continue;
      EXPECT_EQ(points, first.domain.size()) << planned.text();
      EXPECT_EQ(redundant, 0) << planned.text();
    }
  }
}

TEST(Plan, NoRankAllocatesMoreThanTheBoxItKeeps) {
  test::Random random(114);
  for (int i = 0; i < 60; ++i) {
    const Planned planned = random_plans(random);
    for (const Plan& plan : planned.plans) {
      std::vector<int> allocated;
      for (const PlanNode& node : phase(plan, "allocate").children) {
        const auto& step = std::get<plan::Allocate>(node.step);
        const StageRegions& stage = plan.stages[static_cast<std::size_t>(step.array)];
        EXPECT_EQ(step.box, hull(stage.computed, stage.required)) << planned.text();
        EXPECT_NE(stage.placement, Placement::tile) << planned.text();
        allocated.push_back(step.array);
      }
      std::vector<int> freed;
      for (const PlanNode& node : phase(plan, "free").children)
        freed.push_back(std::get<plan::Free>(node.step).array);
      EXPECT_EQ(allocated, freed);
    }
  }
}

/// Each partner's boxes of float one after the other, each from 16 bytes on, the first from 64; what is sent
/// in place needs no buffer.
std::int64_t expected_buffer(const std::vector<Message>& messages) {
  std::map<int, std::int64_t> by_partner;
  for (const Message& message : messages)
    if (!message.in_place) by_partner[message.partner] += (4 * message.box.size() + 15) / 16 * 16;
  std::int64_t bytes = 0;
  for (const auto& [partner, size] : by_partner) bytes += (size + 63) / 64 * 64;
  return bytes;
}

TEST(Plan, PeakBytesAreWhatAnExecutorAllocates) {
  test::Random random(115);
  for (int i = 0; i < 20; ++i) {
    const Planned planned = random_plans(random);
    for (const Plan& plan : planned.plans) {
      const RankExecutor executor(planned.graph.pipeline, plan);
      std::int64_t arrays = 0, messages = 0, scratch = 0;
      for (int id = 0; id < planned.graph.pipeline.size(); ++id)
        arrays += static_cast<std::int64_t>(executor.block(id).memory().size());
      walk(plan.root, [&](const PlanNode& node) {
        if (const auto* exchange = std::get_if<plan::ExchangeGhosts>(&node.step))
          for (const auto* side : {&exchange->lists.sends, &exchange->lists.receives})
            messages += expected_buffer(*side);
        if (const auto* compute = std::get_if<plan::Compute>(&node.step))
          scratch = std::max(scratch, compute->scratch_bytes);
      });
      EXPECT_EQ(plan.array_bytes, arrays) << planned.text();
      EXPECT_EQ(plan.message_bytes, messages) << planned.text();
      EXPECT_EQ(plan.scratch_bytes, scratch * plan.target.threads) << planned.text();
      EXPECT_EQ(plan.peak_bytes(), arrays + messages + scratch * plan.target.threads) << planned.text();
    }
  }
}

/// What a message is sent for: nothing that the receiver owns, nothing that it does not require.
TEST(Plan, NothingIsReceivedThatIsNotRequired) {
  test::Random random(116);
  for (int i = 0; i < 60; ++i) {
    const Planned planned = random_plans(random);
    for (const Plan& plan : planned.plans)
      walk(plan.root, [&](const PlanNode& node) {
        const auto* exchange = std::get_if<plan::ExchangeGhosts>(&node.step);
        if (exchange == nullptr) return;
        const StageRegions& stage = plan.stages[static_cast<std::size_t>(exchange->array)];
        for (const Message& m : exchange->lists.receives) {
          EXPECT_TRUE(stage.required.contains(m.box) && stage.domain.contains(m.source())) << planned.text();
          EXPECT_TRUE(intersection(stage.owned, m.box).empty()) << planned.text();
          EXPECT_FALSE(m.box.empty());
        }
      });
  }
}

TEST(Plan, TilesCoverABoxOnce) {
  test::Random random(117);
  for (int i = 0; i < 60; ++i) {
    const Planned planned = random_plans(random);
    for (const Plan& plan : planned.plans)
      walk(plan.root, [&](const PlanNode& node) {
        const auto* step = std::get_if<plan::Compute>(&node.step);
        if (step == nullptr || step->box.empty()) return;
        std::int64_t points = 0;
        for (std::size_t t = 0; t < step->tile_count(); ++t) {
          const Box& tile = step->boxes[(t + 1) * step->members.size() - 1];
          EXPECT_TRUE(step->box.contains(tile) && !tile.empty()) << planned.text();
          points += tile.size();
        }
        EXPECT_EQ(points, step->box.size()) << planned.text();
        EXPECT_EQ(step->members.back(), step->stage);
      });
  }
}

TEST(Plan, OnADeviceHasWholeBoxesAndNoScratch) {
  const Box image{{0, 40}, {0, 30}};
  const Pipeline pipeline = blur::make_pipeline<float, 2>(image, image, Boundary::clamp);
  Schedule schedule;
  schedule.stages["bh"].placement = Placement::tile;
  schedule.stages["bv"].tile = {8, 8};
  const Plan plan = make_plan(pipeline, schedule, {1, true}, 3, 1);
  EXPECT_EQ(plan.stages[1].placement, Placement::rank);
  EXPECT_EQ(plan.scratch_bytes, 0);
  int computed = 0;
  for (const PlanNode& node : phase(plan, "compute").children)
    if (const auto* step = std::get_if<plan::Compute>(&node.step)) {
      EXPECT_EQ(step->boxes, std::vector<Box>{step->box});
      ++computed;
    }
  EXPECT_EQ(computed, 2);
}

struct ReadsFarOnly {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x) const {
    auto value = a(x);
    if (x > 100) value += b(x - 100);
    return value;
  }
};
struct Twice {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x)*2;
  }
};

TEST(Plan, AStageThatNoPointReadsIsNotComputed) {
  for (int placement = 0; placement < 4; ++placement)
    for (int width : {50, 150}) {
      Pipeline pipeline;
      test::WholeArray<int> image(Box{{0, width}});
      for (std::size_t i = 0; i < image.values.size(); ++i) image.values[i] = static_cast<int>(i) + 1;
      const auto input = pipeline.input<int, 1>("input", image.box, Boundary::clamp);
      const auto twice = pipeline.stage<int>("twice", Twice{}, input);
      const auto again = pipeline.stage<int>("again", Twice{}, twice);
      pipeline.output(pipeline.stage<int>("far", ReadsFarOnly{}, input, again));
      Schedule schedule;
      schedule.stages["twice"].placement = static_cast<Placement>(placement);
      test::ArraySource<int> source(image);
      test::ArraySink<int> sink(image.box);
      Rehearsal(pipeline, schedule, {}, 3).run({{{"input", &source}}, {{"far", &sink}}});
      for (int x = 0; x < width; ++x)
        EXPECT_EQ(sink.array.values[static_cast<std::size_t>(x)], x + 1 + (x > 100 ? 4 * (x - 99) : 0));
      const Plan plan = make_plan(pipeline, schedule, {}, 3, 2);
      EXPECT_EQ(plan.stages[1].computed.empty(), width == 50);
    }
}

TEST(Plan, PhaseThatDoesNotExist) {
  const Box image{{0, 4}, {0, 4}};
  const Plan plan = make_plan(blur::make_pipeline<float, 2>(image, image, Boundary::clamp), {}, {}, 1, 0);
  EXPECT_EQ(test::message_of<InternalError>([&] { phase(plan, "sleep"); }),
            "a plan without the phase 'sleep'");
}

/// Reads eight points to each side along x.
struct WideX {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - 8, y) + in(x + 8, y);
  }
};

TEST(Plan, AutoGridsCutAcrossTheNarrowSideOfTheFootprint) {
  Pipeline pipeline;
  const Box box{{0, 4096}, {0, 4096}};
  pipeline.output(
      pipeline.stage<float>("wide", WideX{}, pipeline.input<float, 2>("in", box, Boundary::clamp)));
  Schedule schedule;
  schedule.grid.entries = {0, 0};
  for (const StageRegions& stage : make_plan(pipeline, schedule, {}, 16, 0).stages)
    EXPECT_EQ(stage.grid.text(), "[1, 16]");
}

}  // namespace
