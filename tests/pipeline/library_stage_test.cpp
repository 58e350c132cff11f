// SPDX-License-Identifier: BSD-3-Clause
// Stages that call a library for whole lines or blocks.
#include <gtest/gtest.h>

#include <string>

#include "messages.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/tiles.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::expect_message;
using test::for_each_point;
using test::Point;
using test::WholeArray;

/// Sums lines along a dimension from the end to each point, and adds the point of a second array. Stands for
/// a library.
struct SuffixSums {
  int dimension;
  int extent;

  Box footprint(int input, Box box) const {
    if (input == 0) box[dimension] = {0, extent};
    return box;
  }
  void operator()(const LibraryBlock<const std::int32_t>& in, const LibraryBlock<const std::int32_t>& addend,
                  const LibraryBlock<std::int32_t>& out) const {
    for_each_point(out.box, [&](const Point& p) {
      std::int32_t sum = at(addend, p);
      for (Point q = p; q[dimension] < extent; ++q[dimension]) sum += at(in, q);
      at(out, p) = sum;
    });
  }
  template <class T>
  static T& at(const LibraryBlock<T>& block, const Point& p) {
    T* place = block.data;
    for (int d = 0; d < block.box.dimensions; ++d) place += block.strides[d] * (p[d] - block.box[d].begin);
    return *place;
  }
};

WholeArray<std::int32_t> summed(const WholeArray<std::int32_t>& in, const WholeArray<std::int32_t>& addend,
                                int dimension) {
  WholeArray<std::int32_t> result(in.box);
  for_each_point(in.box, [&](const Point& p) {
    result.at(p) = addend.at(p);
    for (Point q = p; q[dimension] < in.box[dimension].end; ++q[dimension]) result.at(p) += in.at(q);
  });
  return result;
}

WholeArray<std::int32_t> random_image(test::Random& random, const Box& box) {
  WholeArray<std::int32_t> image(box);
  for (auto& value : image.values) value = random.small(-100, 100);
  return image;
}

/// Sums along all dimensions in turn.
template <int N>
Pipeline sums_of(const Box& box) {
  Pipeline pipeline;
  const auto in = pipeline.input<std::int32_t, N>("input", box);
  Array<std::int32_t, N> sums = in;
  for (int d = 0; d < N; ++d) {
    const int extent = static_cast<int>(box[d].size());
    sums = pipeline.library_stage<std::int32_t, N>("sums" + std::to_string(d), SuffixSums{d, extent},
                                                   {{d, extent}}, sums, in);
  }
  pipeline.output(sums, box);
  return pipeline;
}

template <int N>
void expect_sums(test::Random& random, const Box& box) {
  const Pipeline pipeline = sums_of<N>(box);
  const WholeArray<std::int32_t> image = random_image(random, box);
  WholeArray<std::int32_t> expected = image;
  for (int d = 0; d < N; ++d) expected = summed(expected, image, d);
  for (const int ranks : {1, 2, 3, 4, 16}) {
    test::ArraySource<std::int32_t> source(image);
    test::ArraySink<std::int32_t> sink(box);
    Target target;
    target.threads = random.small(1, 3);
    target.device = !runs_on_host || random.chance(40);
    Schedule schedule;
    schedule.grid = random.one_of<GridRequest>({{{0, 0, 0}}, {{0, 1, 1}}, {{1, 0, 1}}});
    schedule.grid.entries.resize(N);
    if (N == 1) schedule.grid.entries = {0};
    if (random.chance(50)) schedule.stages["sums0"].tile = {3};
    if (N > 1 && random.chance(50)) schedule.stages["sums0"].placement = Placement::rank;
    const std::string text = to_string(box) + " on " + std::to_string(ranks);
    Rehearsal(pipeline, make_plans(pipeline, schedule, target, ranks))
        .run({{{"input", &source}}, {{"sums" + std::to_string(N - 1), &sink}}});
    EXPECT_TRUE(sink.every_point_written_once()) << text;
    EXPECT_TRUE(sink.array.same_bits(expected)) << text;
  }
}

TEST(LibraryStage, LinesAlongEachDimension) {
  test::Random random(5);
  for (int i = 0; i < 10; ++i) {
    expect_sums<1>(random, Box{{0, random.between(1, 40)}});
    expect_sums<2>(random, Box{{0, random.between(1, 40)}, {0, random.between(1, 30)}});
    expect_sums<3>(random,
                   Box{{0, random.between(1, 9)}, {0, random.between(1, 8)}, {0, random.between(1, 7)}});
  }
}

TEST(LibraryStage, WholeBlocks) {
  const Box box{{0, 12}, {0, 9}};
  test::Random random(6);
  const WholeArray<std::int32_t> image = random_image(random, box);
  Pipeline pipeline;
  const auto in = pipeline.input<std::int32_t, 2>("input", box);
  pipeline.output(
      pipeline.library_stage<std::int32_t, 2>("sums", SuffixSums{1, 9}, {{0, 12}, {1, 9}}, in, in), box);
  test::ArraySource<std::int32_t> source(image);
  test::ArraySink<std::int32_t> sink(box);
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, 4)).run({{{"input", &source}}, {{"sums", &sink}}});
  EXPECT_TRUE(sink.array.same_bits(summed(image, image, 1)));
}

/// Sums along the last of the whole dimensions of blocks that are whole in one or two of three dimensions.
TEST(LibraryStage, WholePlanesOnAnyGrid) {
  const Box box{{0, 12}, {0, 9}, {0, 5}};
  test::Random random(7);
  const WholeArray<std::int32_t> image = random_image(random, box);
  const std::vector<std::vector<int>> wholes{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}};
  for (const std::vector<int>& dimensions : wholes) {
    Pipeline pipeline;
    const auto in = pipeline.input<std::int32_t, 3>("input", box);
    std::vector<WholeDimension> whole;
    for (const int d : dimensions) whole.push_back({d, static_cast<int>(box[d].size())});
    const int along = dimensions.back(), extent = static_cast<int>(box[along].size());
    pipeline.output(pipeline.library_stage<std::int32_t, 3>("sums", SuffixSums{along, extent}, whole, in, in),
                    box);
    const WholeArray<std::int32_t> expected = summed(image, image, along);
    for (const GridRequest& grid : {GridRequest{{1, 0}}, GridRequest{{0, 1, 1}}, GridRequest{{1, 0, 1}},
                                    GridRequest{{0, 0, 0}}, GridRequest{{1, 1, 0}}}) {
      Schedule schedule;
      schedule.grid = grid;
      test::ArraySource<std::int32_t> source(image);
      test::ArraySink<std::int32_t> sink(box);
      Rehearsal(pipeline, make_plans(pipeline, schedule, {}, 4))
          .run({{{"input", &source}}, {{"sums", &sink}}});
      EXPECT_TRUE(sink.every_point_written_once()) << along;
      EXPECT_TRUE(sink.array.same_bits(expected)) << along;
    }
  }
}

TEST(LibraryStage, ExplainShowsWhatMovesBetweenLineStages) {
  const Pipeline pipeline = sums_of<2>({{0, 64}, {0, 64}});
  const std::vector<Plan> plans = make_plans(pipeline, {}, {}, 2);
  const std::string text = explain(pipeline, plans[0]);
  EXPECT_NE(text.find("exchange sums0"), std::string::npos) << text;
}

/// Twice an element.
struct Twice {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y) * 2;
  }
};

/// A stage between two stages of lines along y is computed in their slices, and sends nothing.
TEST(LibraryStage, StagesBetweenLinesHaveTheirSlices) {
  const Box box{{0, 64}, {0, 48}};
  test::Random random(8);
  const WholeArray<std::int32_t> image = random_image(random, box);
  Pipeline pipeline;
  const auto in = pipeline.input<std::int32_t, 2>("input", box);
  const SuffixSums sums{1, 48};
  const auto first = pipeline.library_stage<std::int32_t, 2>("first", sums, {{1, 48}}, in, in);
  const auto twice = pipeline.stage<std::int32_t>("twice", Twice(), first);
  pipeline.output(pipeline.library_stage<std::int32_t, 2>("second", sums, {{1, 48}}, twice, twice), box);
  WholeArray<std::int32_t> expected = summed(image, image, 1);
  for (auto& value : expected.values) value *= 2;
  expected = summed(expected, expected, 1);
  for (const GridRequest& grid :
       {GridRequest{}, GridRequest{{1, 0}}, GridRequest{{0, 0}}, GridRequest{{0, 1}}}) {
    Schedule schedule;
    schedule.grid = grid;
    const std::vector<Plan> plans = make_plans(pipeline, schedule, {}, 4);
    const std::string text = explain(pipeline, plans[1]);
    for (const char* array : {"first", "twice"})
      EXPECT_NE(text.find(std::string("exchange ") + array + ": sends 0 messages of 0 bytes, receives 0 of"),
                std::string::npos)
          << text;
    test::ArraySource<std::int32_t> source(image);
    test::ArraySink<std::int32_t> sink(box);
    Rehearsal(pipeline, plans).run({{{"input", &source}}, {{"second", &sink}}});
    EXPECT_TRUE(sink.array.same_bits(expected)) << text;
  }
  Schedule schedule;
  schedule.stages["twice"].grid = GridRequest{{1, 0}};
  const std::string text = explain(pipeline, make_plans(pipeline, schedule, {}, 4)[1]);
  EXPECT_NE(text.find("exchange first: sends 3 messages"), std::string::npos) << text;
}

TEST(LibraryStage, LinesAlongYAreCutAmongThreads) {
  const Pipeline pipeline = sums_of<2>({{0, 512}, {0, 300}});
  Target target;
  target.threads = 2;
  const Plan plan = make_plans(pipeline, {}, target, 1)[0];
  std::int64_t tiles = 0;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* step = std::get_if<plan::Compute>(&node.step);
    if (step != nullptr && pipeline[step->stage].name == "sums1")
      tiles += Tiles(step->parts, step->tile).size();
  });
  EXPECT_GE(tiles, 4);
}

TEST(LibraryStage, LinesAlongZAreCutAmongThreads) {
  const Pipeline pipeline = sums_of<3>({{0, 64}, {0, 64}, {0, 64}});
  Target target;
  target.threads = 2;
  const Plan plan = make_plans(pipeline, {}, target, 1)[0];
  std::int64_t tiles = 0;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* step = std::get_if<plan::Compute>(&node.step);
    if (step != nullptr && pipeline[step->stage].name == "sums2")
      tiles += Tiles(step->parts, step->tile).size();
  });
  EXPECT_GE(tiles, 4);
}

/// Copies rows, and says that it needs memory for a row.
struct CopyWithScratch {
  Box footprint(int, const Box& box) const { return box; }
  void operator()(const LibraryBlock<const std::int32_t>& in, const LibraryBlock<std::int32_t>& out) const {
    for_each_point(out.box, [&](const Point& p) { SuffixSums::at(out, p) = SuffixSums::at(in, p); });
  }
  std::int64_t scratch_bytes(const Box& box) const { return 1000 * box[1].size(); }
};

TEST(LibraryStage, PlansCountTheMemoryOfCalls) {
  const Box box{{0, 10}, {0, 64}};
  Pipeline pipeline;
  const auto in = pipeline.input<std::int32_t, 2>("input", box);
  const auto first = pipeline.library_stage<std::int32_t, 2>("first", CopyWithScratch(), {}, in);
  pipeline.output(pipeline.library_stage<std::int32_t, 2>("second", CopyWithScratch(), {}, first));
  Target target;
  target.threads = 3;
  target.device = false;
  Schedule schedule;
  schedule.stages["second"].tile = {10, 16};
  for (const Placement placement : {Placement::distributed, Placement::tile}) {
    schedule.stages["first"].placement = placement;
    schedule.stages["first"].tile = {10, 4};
    const Plan plan = make_plans(pipeline, schedule, target, 1)[0];
    EXPECT_EQ(plan.library_bytes, 3 * 16 * 1000);
    EXPECT_EQ(plan.peak_bytes(), plan.array_bytes + plan.message_bytes + plan.scratch_bytes +
                                     plan.partial_bytes + plan.library_bytes);
    const std::string text = explain(pipeline, plan);
    EXPECT_NE(text.find(", within library calls 46.9 KiB"), std::string::npos) << text;
  }
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const InternalError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LibraryStage, BadWholeDimensionsAreRefused) {
  Pipeline pipeline;
  const auto in = pipeline.input<std::int32_t, 2>("input", {{0, 8}, {0, 8}});
  const auto add = [&](const std::vector<WholeDimension>& whole) {
    return message_of([&] {
      pipeline.library_stage<std::int32_t, 2>("sums", SuffixSums{0, 8}, whole, in, in);
    });
  };
  expect_message(add({{2, 8}}), {"the stage", "'sums'", "dimension 2"});
  expect_message(add({{-1, 8}}), {"the stage", "'sums'", "dimension -1"});
  expect_message(add({{0, 0}}), {"lines", "'sums'", "have 0 points"});
}

}  // namespace
