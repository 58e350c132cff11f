// SPDX-License-Identifier: BSD-3-Clause
// Few points on many ranks, and what is computed while messages are under way.
#include <gtest/gtest.h>

#include "pipeline/instance_sample.hpp"
#include "pipeline/mixed_graph.hpp"
#include "tessera/domain/box.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/tiles.hpp"
#include "tessera/pipeline/planner/array_domains.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/pipeline/planner/tiling.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::Point;

const Placement all_placements[] = {Placement::distributed, Placement::rank, Placement::replicated,
                                    Placement::tile};

/// The outputs of a sample, on some number of ranks.
struct Outputs {
  test::ArraySink<float> out;
  test::ArraySink<float> greatest{Box{{0, 1}}};

  Outputs(const test::InstanceSample& sample, const Schedule& schedule, int ranks) : out(sample.box) {
    test::Random random(260);
    test::WholeArray<float> image(sample.box);
    for (float& value : image.values) value = static_cast<float>(random.real(-4, 4));
    test::ArraySource<float> source(image);
    Rehearsal(sample.pipeline, make_plans(sample.pipeline, schedule, {}, ranks))
        .run({{{"in", &source}}, {{"out", &out}, {"greatest", &greatest}}});
    EXPECT_TRUE(out.every_point_written_once() && greatest.every_point_written_once());
  }
};

void expect_same_everywhere(const Box& box, int ranks) {
  test::InstanceSample sample(box);
  const Outputs expected(sample, {}, 1);
  for (const Placement smooth : all_placements)
    for (const Placement slopes : all_placements)
      for (const GridRequest& grid : {GridRequest{}, GridRequest{{0, 1}}, GridRequest{{0, 0}}})
        for (const Slicing slicing : {Slicing::ceil, Slicing::balanced}) {
          sample.schedule.stages["smooth"].placement = smooth;
          sample.schedule.stages["dx"].placement = slopes;
          sample.schedule.grid = grid;
          sample.schedule.slicing = slicing;
          const Outputs found(sample, sample.schedule, ranks);
          EXPECT_TRUE(found.out.array.same_bits(expected.out.array) &&
                      found.greatest.array.same_bits(expected.greatest.array))
              << to_string(box) << " " << test::to_string(sample.schedule) << " on " << ranks;
        }
}

TEST(Edges, ThirtyRowsOnThirtyTwoRanks) { expect_same_everywhere(Box{{0, 17}, {0, 30}}, 32); }
TEST(Edges, ThirtyColumnsOnThirtyTwoRanks) { expect_same_everywhere(Box{{0, 30}, {0, 3}}, 32); }
TEST(Edges, OnePixelOnFiveRanks) { expect_same_everywhere(Box{{0, 1}, {0, 1}}, 5); }
TEST(Edges, TwoPixelsOnSeventeenRanks) { expect_same_everywhere(Box{{-1, 1}, {4, 5}}, 17); }

struct Neighbours {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x - 1) + in(x + 2);
  }
};

TEST(Edges, ThirtyPointsOfOneDimensionOnThirtyTwoRanks) {
  test::WholeArray<std::int32_t> row(Box{{0, 30}});
  for (std::size_t i = 0; i < row.values.size(); ++i) row.values[i] = static_cast<int>(i * i);
  Pipeline pipeline;
  const auto in = pipeline.input<std::int32_t, 1>("in", row.box, Boundary::clamp);
  const auto once = pipeline.stage<std::int32_t>("once", Neighbours(), in);
  pipeline.output(pipeline.stage<std::int32_t>("twice", Neighbours(), once));
  const auto at = [&](std::int64_t x) { return row.clamped({{x, 0, 0, 0}}); };
  for (const Placement placement : all_placements)
    for (const Slicing slicing : {Slicing::ceil, Slicing::balanced}) {
      Schedule schedule;
      schedule.slicing = slicing;
      schedule.stages["once"].placement = placement;
      test::ArraySource<std::int32_t> source(row);
      test::ArraySink<std::int32_t> sink(row.box);
      Rehearsal(pipeline, make_plans(pipeline, schedule, {}, 32))
          .run({{{"in", &source}}, {{"twice", &sink}}});
      for (std::int64_t x = 0; x < 30; ++x)
        EXPECT_EQ(sink.array.at({{x, 0, 0, 0}}), at(x - 2) + at(x + 1) + at(x + 1) + at(x + 4));
    }
}

/// The points where a predicate holds that asks each coordinate by itself.
struct Separable {
  Box allowed;
  bool operator()(const Box& box) const { return allowed.contains(box); }
};

TEST(Interior, IsTheLargestBoxOfAll) {
  test::Random random(261);
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const int dimensions = random.small(1, 4);
    const Box box = random.box(dimensions, -5, 5, 9);
    const Separable holds{random.box(dimensions, -6, 6, 12)};
    const Box inside = interior_box(box, holds);
    const Box largest = intersection(box, holds.allowed);
    Box middle = box;
    for (int d = 0; d < dimensions; ++d) {
      middle[d].begin += box[d].size() / 2;
      middle[d].end = middle[d].begin + 1;
    }
    if (holds(middle)) {
      EXPECT_EQ(inside, largest) << to_string(box) << ", " << to_string(holds.allowed);
      ++found;
    } else {
      EXPECT_TRUE(inside.empty());
    }
    EXPECT_EQ(inside.dimensions, dimensions);
  }
  EXPECT_GT(found, 300);
}

TEST(Interior, HoldsWhateverThePredicate) {
  test::Random random(262);
  for (int i = 0; i < 2000; ++i) {
    const Box box = random.box(2, -5, 5, 9);
    std::vector<Box> forbidden;
    for (int k = random.small(0, 3); k > 0; --k) forbidden.push_back(random.box(2, -6, 6, 4));
    const auto holds = [&](const Box& part) {
      for (const Box& hole : forbidden)
        if (!intersection(hole, part).empty()) return false;
      return true;
    };
    const Box inside = interior_box(box, holds);
    EXPECT_TRUE(box.contains(inside) && (inside.empty() || holds(inside)));
  }
}

TEST(Lifetimes, NoTwoPiecesInUseTogetherOverlap) {
  test::Random random(263);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::int64_t> bytes, offsets;
    std::vector<Lifetime> lifetimes;
    std::int64_t sum = 0;
    for (int k = random.small(0, 12); k > 0; --k) {
      bytes.push_back(random.chance(10) ? 0 : random.between(1, 700));
      sum += (bytes.back() + 63) / 64 * 64;
      Lifetime life;
      for (int uses = random.small(0, 3); uses > 0; --uses) life.use(random.small(-1, 8));
      lifetimes.push_back(life);
    }
    const std::int64_t total = place_by_lifetime(bytes, lifetimes, offsets);
    ASSERT_EQ(offsets.size(), bytes.size());
    std::int64_t busiest = 0;
    for (int step = -1; step <= 8; ++step) {
      std::int64_t in_use = 0;
      for (std::size_t k = 0; k < bytes.size(); ++k)
        if (lifetimes[k].first <= step && step <= lifetimes[k].last) in_use += bytes[k];
      busiest = std::max(busiest, in_use);
    }
    EXPECT_GE(total, busiest);
    EXPECT_LE(total, sum);
    for (std::size_t a = 0; a < bytes.size(); ++a) {
      EXPECT_EQ(offsets[a] % 64, 0);
      EXPECT_LE(offsets[a] + bytes[a], total);
      for (std::size_t b = 0; b < a; ++b) {
        const bool together =
            lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
        const bool apart = offsets[a] + bytes[a] <= offsets[b] || offsets[b] + bytes[b] <= offsets[a];
        EXPECT_TRUE(apart || !together || bytes[a] == 0 || bytes[b] == 0);
      }
    }
  }
}

/// Returns what a step reads of each array in memory.
std::map<ArrayId, Box> reads_of(const ScheduledPipeline& scheduled, const plan::Compute& step) {
  std::map<ArrayId, Box> reads;
  for (const Box& part : step.parts) {
    const std::vector<Box> boxes = member_boxes(scheduled, step.members, part);
    for (std::size_t m = 0; m < step.members.size(); ++m) {
      const auto& inputs = scheduled.pipeline()[step.members[m]].inputs;
      const std::vector<Box> needs = required_boxes(scheduled.pipeline(), step.members[m], boxes[m]);
      for (std::size_t k = 0; k < inputs.size(); ++k) reads[inputs[k]] = hull(reads[inputs[k]], needs[k]);
    }
  }
  return reads;
}

/// Between an exchange and its end nothing is read that arrives, and nothing is written that is sent.
int check_overlaps(const ScheduledPipeline& scheduled, const Plan& plan) {
  int interiors = 0;
  const plan::Exchange* under_way = nullptr;
  for (const PlanNode& node : phase(plan, "compute").children) {
    if (const auto* exchange = std::get_if<plan::Exchange>(&node.step))
      under_way = exchange->overlapped ? exchange : nullptr;
    if (std::holds_alternative<plan::FinishExchange>(node.step)) {
      EXPECT_NE(under_way, nullptr);
      under_way = nullptr;
    }
    const auto* step = std::get_if<plan::Compute>(&node.step);
    if (step == nullptr || step->parts.empty() || under_way == nullptr) continue;
    ++interiors;
    const auto reads = reads_of(scheduled, *step);
    for (const plan::ArrayMessages& array : under_way->arrays) {
      EXPECT_NE(array.array, step->stage);
      const auto read = reads.find(array.array);
      if (read == reads.end()) continue;
      for (const auto* arriving : {&array.lists.receives, &array.lists.copies})
        for (const Message& message : *arriving)
          EXPECT_TRUE(intersection(message.box, read->second).empty())
              << to_string(read->second) << " is read while " << to_string(message.box) << " arrives";
    }
  }
  EXPECT_EQ(under_way, nullptr);
  return interiors;
}

TEST(Overlap, TheInsideReadsNothingThatIsUnderWay) {
  test::Random random(264);
  int interiors = 0;
  for (int i = 0; i < 150; ++i) {
    const test::MixedGraph graph = test::random_mixed_graph(random, true, random.small(2, 8));
    const int ranks = random.small(2, 9);
    Schedule schedule = test::random_mixed_schedule(random, graph.pipeline, ranks);
    schedule.overlap = Overlap::on;
    const ScheduledPipeline scheduled(graph.pipeline, schedule, {}, ranks);
    for (int rank = 0; rank < ranks; ++rank)
      interiors += check_overlaps(scheduled, make_plan(scheduled, rank));
  }
  EXPECT_GT(interiors, 100);
}

TEST(Overlap, InsideAndRimAreAllPointsOnce) {
  test::Random random(265);
  for (int i = 0; i < 100; ++i) {
    const test::MixedGraph graph = test::random_mixed_graph(random, true, random.small(2, 8));
    const int ranks = random.small(2, 9);
    Schedule schedule = test::random_mixed_schedule(random, graph.pipeline, ranks);
    schedule.overlap = Overlap::on;
    for (int rank = 0; rank < ranks; ++rank) {
      const Plan plan = make_plan(graph.pipeline, schedule, {}, ranks, rank);
      std::map<ArrayId, std::vector<Box>> parts;
      walk(plan.root, [&](const PlanNode& node) {
        if (const auto* step = std::get_if<plan::Compute>(&node.step))
          parts[step->stage].insert(parts[step->stage].end(), step->parts.begin(), step->parts.end());
      });
      for (const auto& stage : parts) {
        std::int64_t points = 0;
        for (std::size_t a = 0; a < stage.second.size(); ++a) {
          points += stage.second[a].size();
          for (std::size_t b = 0; b < a; ++b)
            EXPECT_TRUE(intersection(stage.second[a], stage.second[b]).empty());
        }
        EXPECT_EQ(points, plan.stages[stage.first].computed.size());
      }
    }
  }
}

}  // namespace
