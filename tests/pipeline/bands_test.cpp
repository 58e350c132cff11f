// SPDX-License-Identifier: BSD-3-Clause
// Out of core: bands never change a bit, whatever the pipeline, and every part of every output comes in
// order.
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string_view>
#include <thread>

#include "domain/random.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/mixed_graph.hpp"
#include "pipeline/world.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/bands.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/pipeline/run/banded_run.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::MixedBindings;
using test::MixedGraph;

/// Plans of the bands of a graph.
struct BandedGraph {
  Banding bands;
  Schedule schedule;
  Target target;

  Plan plan(const Algorithm& pipeline, const Band& band, int ranks, int rank) const {
    return make_plan(ScheduledPipeline(pipeline, schedule, target, ranks, Window(pipeline, band)), rank);
  }
};

BandedGraph random_bands(test::Random& random, const Algorithm& pipeline, int ranks) {
  BandedGraph banded;
  banded.bands.unit = random.one_of<std::int64_t>({1, 1, 2, random.small(3, 30)});
  const auto most = static_cast<int>(most_bands(pipeline, 1, banded.bands.unit));
  banded.bands.count = random.one_of<std::int64_t>({1, 2, 3, most, random.small(1, most)});
  banded.schedule = test::random_mixed_schedule(random, pipeline, ranks);
  banded.target.threads = random.small(1, 2);
  banded.target.device = !runs_on_host || random.chance(20);
  return banded;
}

/// Each point of every output is written once by one of the ranks, with the bits of one rank in core.
void expect_whole(const MixedGraph& graph, const MixedBindings& found, const MixedBindings& expected,
                  const std::string& text) {
  for (const ArrayId id : found.sinks.ids()) {
    if (found.sinks[id] == nullptr) continue;
    std::vector<int> writes = found.sinks[id]->writes.values;
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < writes.size(); ++i)
      wrong += writes[i] > 0 && std::memcmp(&found.sinks[id]->array.values[i],
                                            &expected.sinks[id]->array.values[i], sizeof(double)) != 0;
    MPI_Allreduce(MPI_IN_PLACE, writes.data(), static_cast<int>(writes.size()), MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
    for (int count : writes) wrong += count != 1;
    EXPECT_EQ(wrong, 0) << graph.pipeline[id].name << " of " << text;
  }
}

TEST(BandedRun, GivesTheBitsOfOneRankInCore) {
  test::Random random(977);
  const int ranks = test::world_size();
  int most_passes = 0;
  for (int i = 0; i < 30; ++i) {
    const MixedGraph graph = test::random_mixed_graph(random, false, random.small(2, 12));
    const BandedGraph banded = random_bands(random, graph.pipeline, ranks);
    const Banding& bands = banded.bands;
    const auto plan_of = [&](const Band& band) {
      return banded.plan(graph.pipeline, band, ranks, test::world_rank());
    };
    most_passes = std::max(most_passes, passes_of(graph.pipeline));
    MixedBindings expected(graph), found(graph);
    Rehearsal(graph.pipeline, make_plans(graph.pipeline, {}, {}, 1)).run(expected.bindings);
    const Plan shown = plan_with_bands(graph.pipeline, bands, plan_of);
    int steps = 0;
    BandedRun(graph.pipeline, in_order(graph.pipeline, bands), plan_of, shown, MPI_COMM_WORLD, {},
              random.chance(50))
        .run(found.bindings, [&](const PlanNode& node) {
          EXPECT_TRUE(is_step(node));
          ++steps;
        });
    EXPECT_GT(steps, 0);
    expect_whole(
        graph, found, expected,
        std::to_string(bands.count) + " bands of " + graph.text + "; " + test::to_string(banded.schedule));
  }
  EXPECT_GE(most_passes, 2);
}

TEST(BandPlans, HaveTheirBands) {
  test::Random random(978);
  for (int i = 0; i < 25; ++i) {
    const MixedGraph graph = test::random_mixed_graph(random, false, random.small(2, 12));
    const BandedGraph banded = random_bands(random, graph.pipeline, 3);
    for (const Band& band : in_order(graph.pipeline, banded.bands)) {
      const Plan plan = banded.plan(graph.pipeline, band, 3, 0);
      ASSERT_NE(band_of(plan), nullptr);
      EXPECT_EQ(*band_of(plan), band);
    }
  }
}

/// The sum of the points `step` rows away on both sides.
struct RowsAround {
  int step = 1;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y - step) + in(x, y + step);
  }
};

Pipeline tall_pipeline(std::int64_t rows) {
  const Box box{{0, 64}, {0, rows}};
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", box, Boundary::clamp);
  const auto near = pipeline.stage<float>("near", RowsAround{1}, input);
  pipeline.output(pipeline.stage<float>("far", RowsAround{2}, near), box);
  return pipeline;
}

/// The threads that launched a kernel which touches memory first, and how many of these kernels there were.
std::mutex touches_lock;
std::map<std::thread::id, int> touches;
void count_touch(const char* name, std::uint32_t, std::uint64_t*) {
  if (std::string_view(name) != "tessera: first touch") return;
  const std::lock_guard lock(touches_lock);
  ++touches[std::this_thread::get_id()];
}

// The thread that reads and writes has no memory touched first: it would lie near that thread.
TEST(BandedRun, MemoryIsTouchedByTheThreadsThatCompute) {
  const Pipeline pipeline = tall_pipeline(400);
  const Banding bands{1, 9};
  const auto plan_of = [&](const Band& band) {
    const ScheduledPipeline scheduled(pipeline, {}, {}, test::world_size(), Window(pipeline, band));
    return make_plan(scheduled, test::world_rank());
  };
  const Plan shown = plan_with_bands(pipeline, bands, plan_of);
  const Box box{{0, 64}, {0, 400}};
  test::WholeArray<float> image(box);
  for (std::size_t i = 0; i < image.values.size(); ++i) image.values[i] = static_cast<float>(i % 97);
  test::ArraySource<float> source(image);
  test::ArraySink<float> found(box), expected(box);
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, 1)).run({{{"input", &source}}, {{"far", &expected}}});
  touches.clear();
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(&count_touch);
  BandedRun(pipeline, in_order(pipeline, bands), plan_of, shown, MPI_COMM_WORLD, {}, true)
      .run({{{"input", &source}}, {{"far", &found}}});
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_EQ(touches.begin()->first, std::this_thread::get_id());
  // Two instances have memory of their own, with a block for each of three arrays.
  EXPECT_LE(touches.begin()->second, 6);
  std::int64_t wrong = 0, written = 0;
  test::for_each_point(box, [&](const Point& p) {
    const std::int64_t i = (p[1] - box[1].begin) * 64 + p[0];
    written += found.writes.values[static_cast<std::size_t>(i)];
    wrong +=
        found.writes.values[static_cast<std::size_t>(i)] > 0 &&
        found.array.values[static_cast<std::size_t>(i)] != expected.array.values[static_cast<std::size_t>(i)];
  });
  EXPECT_GT(written, 0);
  EXPECT_EQ(wrong, 0);
}

// The first bands read nothing but what a side says.
TEST(BandedRun, BandsBeyondTheInputAreWhatItsSidesSay) {
  const Box image{{0, 9}, {0, 20}}, result{{-3, 12}, {-10, 40}};
  for (const BoundaryConditions& sides :
       {BoundaryConditions(Boundary::constant), BoundaryConditions(Boundary::clamp)}) {
    Pipeline pipeline;
    const auto input = pipeline.input<float, 2>("input", image, sides);
    pipeline.output(pipeline.stage<float>("around", RowsAround{2}, input), result);
    test::WholeArray<float> pixels(image);
    for (std::size_t i = 0; i < pixels.values.size(); ++i) pixels.values[i] = static_cast<float>(i + 1);
    test::ArraySource<float> source(pixels);
    test::ArraySink<float> expected(result);
    Rehearsal(pipeline, make_plans(pipeline, {}, {}, 1)).run({{{"input", &source}}, {{"around", &expected}}});
    for (const std::int64_t count : {7, 50}) {
      const auto plan_of = [&](const Band& band) {
        return make_plan(ScheduledPipeline(pipeline, {}, {}, 1, Window(pipeline, band)), 0);
      };
      test::ArraySink<float> found(result);
      const Plan shown = plan_with_bands(pipeline, {1, count}, plan_of);
      BandedRun(pipeline, in_order(pipeline, {1, count}), plan_of, shown, MPI_COMM_SELF, {}, false)
          .run({{{"input", &source}}, {{"around", &found}}});
      EXPECT_TRUE(found.every_point_written_once());
      EXPECT_TRUE(found.array.same_bits(expected.array)) << count << " bands";
    }
  }
}

TEST(Bands, AsManyAsMemoryNeeds) {
  const Pipeline pipeline = tall_pipeline(4096);
  Target target;
  EXPECT_EQ(bands_that_fit(pipeline, {}, target, 1).count, 1);
  const std::int64_t whole = make_plan(pipeline, {}, target, 1, 0).peak_bytes();
  for (const std::int64_t part : {1, 2, 5, 30}) {
    target.memory_bytes = whole / part;
    const Banding bands = bands_that_fit(pipeline, {}, target, 1);
    // Two bands are there at a time, and their halos with them.
    EXPECT_GE(bands.count, part == 1 ? 1 : 2 * part);
    EXPECT_LE(bands.count, part == 1 ? 1 : 3 * part);
    if (bands.count == 1) continue;
    for (const Band& band : in_order(pipeline, bands)) {
      const ScheduledPipeline scheduled(pipeline, {}, {}, 1, Window(pipeline, band));
      EXPECT_LE(peak_bytes_with_next_band(make_plan(scheduled, 0)), target.memory_bytes);
    }
  }
}

TEST(Bands, ThoseThatCannotFitAreRefused) {
  const Pipeline pipeline = tall_pipeline(50);
  Target target;
  target.memory_bytes = 1024;
  const std::string error = test::message_of<ScheduleError>([&] { bands_that_fit(pipeline, {}, target, 2); });
  EXPECT_NE(error.find("even in 50 bands, but may use 1.0 KiB"), std::string::npos) << error;
  EXPECT_EQ(bands_asked_for(pipeline, 1000).count, 50);
}

}  // namespace
