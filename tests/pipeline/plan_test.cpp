// SPDX-License-Identifier: BSD-3-Clause
// Plans of random pipelines and schedules: what every plan must get right.
#include "tessera/pipeline/plan/plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "messages.hpp"
#include "pipeline/plan_sample.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan/tiles.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
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
        const auto* exchange = std::get_if<plan::Exchange>(&phase(plan, "compute").children[s].step);
        if (exchange == nullptr) continue;
        for (const plan::ArrayMessages& array : exchange->arrays) {
          const auto text = [&array](int from, int to, const Message& message) {
            return fmt::format("{} of {} from {} to {}", to_string(message.box), to_int(array.array), from,
                               to);
          };
          for (const Message& m : array.lists.sends) sent.push_back(text(plan.rank, m.partner, m));
          for (const Message& m : array.lists.receives) received.push_back(text(m.partner, plan.rank, m));
        }
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
    for (const ArrayId s : planned.plans[0].stages.ids()) {
      const ArrayRegions& first = planned.plans[0].stages[s];
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

TEST(Plan, BuffersHoldWhatIsComputedAndWhatIsRead) {
  test::Random random(114);
  int apart = 0;
  for (int i = 0; i < 120; ++i) {
    const Planned planned = random_plans(random);
    for (const Plan& plan : planned.plans)
      for (const ArrayId id : plan.stages.ids()) {
        const ArrayRegions& stage = plan.stages[id];
        if (stage.placement == Placement::tile) {
          EXPECT_EQ(stage.written_buffer, no_buffer);
          continue;
        }
        const Buffer& written = plan.buffers[stage.written_buffer];
        const Buffer& read = plan.buffers[stage.read_buffer];
        EXPECT_TRUE(written.box.contains(stage.computed) && read.box.contains(stage.required));
        EXPECT_EQ(written.array, id);
        if (stage.written_buffer == stage.read_buffer) {
          EXPECT_EQ(written.box, hull(stage.computed, stage.required)) << planned.text();
        } else {
          ++apart;
          EXPECT_EQ(written.box, stage.computed) << planned.text();
          EXPECT_EQ(read.box, stage.required) << planned.text();
        }
      }
  }
  EXPECT_GT(apart, 50);
}

/// Buffers that are in use at the same time share no memory, and every buffer is in use when it is touched.
TEST(Plan, MemoryIsSharedOnlyByBuffersThatAreNeverInUseTogether) {
  test::Random random(119);
  int shared = 0;
  for (int i = 0; i < 60; ++i) {
    const Planned planned = random_plans(random);
    for (const Plan& plan : planned.plans) {
      std::int64_t bytes = 0;
      int here = 0;
      const auto expect_used = [&](BufferId id) {
        const Buffer& buffer = plan.buffers[id];
        EXPECT_TRUE(buffer.first_node <= here && here <= buffer.last_node) << here << planned.text();
      };
      for (const Buffer& buffer : plan.buffers) {
        EXPECT_EQ(buffer.offset % 64, 0);
        EXPECT_LE(buffer.offset + buffer.bytes, plan.array_bytes);
        bytes += buffer.bytes;
        for (const Buffer& other : plan.buffers)
          EXPECT_TRUE(&other == &buffer || buffer.last_node < other.first_node ||
                      other.last_node < buffer.first_node || buffer.offset >= other.offset + other.bytes ||
                      other.offset >= buffer.offset + buffer.bytes)
              << planned.text();
      }
      const auto regions = [&](ArrayId id) -> const ArrayRegions& { return plan.stages[id]; };
      walk(plan.root, [&](const PlanNode& node) {
        here = node.id;
        if (const auto* compute = std::get_if<plan::Compute>(&node.step)) {
          expect_used(regions(compute->stage).written_buffer);
          for (ArrayId member : compute->members)
            for (ArrayId input : planned.graph.pipeline[member].inputs)
              if (regions(input).read_buffer != no_buffer) expect_used(regions(input).read_buffer);
        } else if (const auto* exchange = std::get_if<plan::Exchange>(&node.step)) {
          for (const plan::ArrayMessages& array : exchange->arrays) {
            expect_used(regions(array.array).written_buffer);
            expect_used(regions(array.array).read_buffer);
          }
        } else if (const auto* read = std::get_if<plan::Read>(&node.step)) {
          expect_used(regions(read->array).written_buffer);
        } else if (const auto* write = std::get_if<plan::Write>(&node.step)) {
          expect_used(regions(write->array).written_buffer);
        }
      });
      if (plan.array_bytes < bytes) ++shared;
    }
  }
  EXPECT_GT(shared, 100);
}

/// Each partner's boxes of float one after the other, each from 16 bytes on, the first from 64; what is sent
/// in place needs no buffer.
std::int64_t expected_buffer(const plan::Exchange& exchange, bool sends) {
  std::map<int, std::int64_t> by_partner;
  for (const plan::ArrayMessages& array : exchange.arrays)
    for (const Message& message : sends ? array.lists.sends : array.lists.receives)
      if (!message.in_place) by_partner[message.partner] += (4 * message.box.size() + 15) / 16 * 16;
  std::int64_t bytes = 0;
  for (const auto& [partner, size] : by_partner) bytes += (size + 63) / 64 * 64;
  return bytes;
}

TEST(Plan, PeakBytesAreWhatAnExecutorAllocates) {
  test::Random random(115);
  for (int i = 0; i < 20; ++i) {
    const Planned planned = random_plans(random);
    // What the plans say can be had, for all ranks at once.
    const Rehearsal rehearsal(planned.graph.pipeline, planned.plans);
    for (const Plan& plan : planned.plans) {
      std::int64_t arrays = 0, messages = 0, scratch = 0;
      for (const Buffer& buffer : plan.buffers)
        arrays = std::max(arrays, buffer.offset + (buffer.bytes + 63) / 64 * 64);
      walk(plan.root, [&](const PlanNode& node) {
        if (const auto* exchange = std::get_if<plan::Exchange>(&node.step))
          messages += expected_buffer(*exchange, true) + expected_buffer(*exchange, false);
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

/// No message has points that the receiver owns, or points that it does not require.
TEST(Plan, NothingIsReceivedThatIsNotRequired) {
  test::Random random(116);
  for (int i = 0; i < 60; ++i) {
    const Planned planned = random_plans(random);
    for (const Plan& plan : planned.plans)
      walk(plan.root, [&](const PlanNode& node) {
        const auto* exchange = std::get_if<plan::Exchange>(&node.step);
        if (exchange == nullptr) return;
        for (const plan::ArrayMessages& array : exchange->arrays) {
          const ArrayRegions& stage = plan.stages[array.array];
          for (const Message& m : array.lists.receives) {
            EXPECT_TRUE(stage.required.contains(m.box) && stage.domain.contains(m.source()))
                << planned.text();
            EXPECT_TRUE(intersection(stage.owned, m.box).empty()) << planned.text();
            EXPECT_FALSE(m.box.empty());
          }
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
        if (step == nullptr || step->parts.empty()) return;
        const Tiles tiles(step->parts, step->tile);
        std::int64_t points = 0, expected = 0;
        for (std::int64_t t = 0; t < tiles.size(); ++t) {
          const Box tile = tiles[t];
          const auto holds = [&tile](const Box& part) { return part.contains(tile); };
          EXPECT_TRUE(!tile.empty() && std::any_of(step->parts.begin(), step->parts.end(), holds))
              << planned.text();
          points += tile.size();
        }
        for (const Box& part : step->parts) expected += part.size();
        EXPECT_EQ(points, expected) << planned.text();
        EXPECT_EQ(step->members.back(), step->stage);
        EXPECT_EQ(step->boxes.size(), static_cast<std::size_t>(tiles.size()) * (step->members.size() - 1));
      });
  }
}

TEST(Plan, OnADeviceHasWholeBoxesAndNoScratch) {
  const Box image{{0, 40}, {0, 30}};
  const Pipeline pipeline = test::blur_pipeline<float>(image, image);
  Schedule schedule;
  schedule.stages["bh"].placement = Placement::tile;
  schedule.stages["bv"].tile = {8, 8};
  const Plan plan = make_plan(pipeline, schedule, {1, true}, 3, 1);
  EXPECT_EQ(plan.stages[ArrayId{1}].placement, Placement::rank);
  EXPECT_EQ(plan.scratch_bytes, 0);
  int computed = 0;
  for (const PlanNode& node : phase(plan, "compute").children)
    if (const auto* step = std::get_if<plan::Compute>(&node.step)) {
      EXPECT_EQ(step->parts.size(), 1u);
      EXPECT_EQ(Tiles(step->parts, step->tile).size(), 1);
      ++computed;
    }
  EXPECT_EQ(computed, 2);
}

TEST(Plan, BuffersOfStagedMessagesExistTwice) {
  const Box image{{0, 40}, {0, 30}};
  const Pipeline pipeline = test::blur_pipeline<float>(image, image);
  Schedule columns;
  columns.grid.entries = {3, 1};
  Target target;
  target.device = true;
  const Plan direct = make_plan(pipeline, columns, target, 3, 1);
  target.stages_messages = true;
  const Plan staged = make_plan(pipeline, columns, target, 3, 1);
  EXPECT_GT(direct.message_bytes, 0);
  EXPECT_EQ(staged.message_bytes, 2 * direct.message_bytes);
  target.device = false;
  EXPECT_EQ(make_plan(pipeline, columns, target, 3, 1).message_bytes, direct.message_bytes);
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
      Rehearsal(pipeline, make_plans(pipeline, schedule, {}, 3))
          .run({{{"input", &source}}, {{"far", &sink}}});
      for (int x = 0; x < width; ++x)
        EXPECT_EQ(sink.array.values[static_cast<std::size_t>(x)], x + 1 + (x > 100 ? 4 * (x - 99) : 0));
      const Plan plan = make_plan(pipeline, schedule, {}, 3, 2);
      EXPECT_EQ(plan.stages[ArrayId{1}].computed.empty(), width == 50);
    }
}

/// Reads 40 points further up.
struct FarAbove {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x) + in(x - 40);
  }
};

TEST(Plan, BlocksFollowTheConsumersOrSliceAllPoints) {
  Pipeline pipeline;
  const auto input = pipeline.input<int, 1>("input", Box{{0, 40}}, Boundary::clamp);
  const auto twice = pipeline.stage<int>("twice", Twice{}, input);
  pipeline.output(pipeline.stage<int>("far", FarAbove{}, twice));
  // Of the points [-40, 40) that are read, those in the middle of what each block reads are [-20, 20).
  Schedule schedule;
  const Box following[] = {Box{{-40, 0}}, Box{{0, 40}}};
  const Box sliced[] = {Box{{-40, 0}}, Box{{0, 40}}};
  const Box thirds[] = {Box{{-40, -13}}, Box{{-13, 14}}, Box{{14, 40}}};
  for (int rank = 0; rank < 2; ++rank)
    EXPECT_EQ(make_plan(pipeline, schedule, {}, 2, rank).stages[ArrayId{1}].owned, following[rank]);
  schedule.stages["twice"].align_own = true;
  for (int rank = 0; rank < 2; ++rank)
    EXPECT_EQ(make_plan(pipeline, schedule, {}, 2, rank).stages[ArrayId{1}].owned, sliced[rank]);
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(make_plan(pipeline, schedule, {}, 3, rank).stages[ArrayId{1}].owned, thirds[rank]);
  schedule.stages["twice"].align_own = false;
  const Box followed = make_plan(pipeline, schedule, {}, 3, 1).stages[ArrayId{1}].owned;
  EXPECT_EQ(followed, (Box{{-6, 8}}));
}

TEST(Plan, PhaseThatDoesNotExist) {
  const Box image{{0, 4}, {0, 4}};
  const Plan plan = make_plan(test::blur_pipeline<float>(image, image), {}, {}, 1, 0);
  test::expect_message(test::message_of<InternalError>([&] { phase(plan, "sleep"); }),
                       {"plan without", "phase", "'sleep'"});
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
  for (const ArrayRegions& stage : make_plan(pipeline, schedule, {}, 16, 0).stages)
    EXPECT_EQ(stage.grid.text(), "[1, 16]");
}

}  // namespace
