// SPDX-License-Identifier: BSD-3-Clause
// Library stages in plans for devices: without a call for devices they are computed on the host, between
// copies of their arrays. Builds for hosts copy as well.
#include <gtest/gtest.h>

#include <string>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/detail/rank_executor.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace {

using namespace tessera;
using test::for_each_point;
using test::Point;
using Number = std::int32_t;
using Image = test::WholeArray<Number>;

Number mixed(Number above, Number below) { return (3 * above + below) % 1009; }

template <class T>
std::int64_t offset_of(const LibraryBlock<T>& block, const Point& p) {
  std::int64_t offset = 0;
  for (int d = 0; d < block.box.dimensions; ++d) offset += block.strides[d] * (p[d] - block.box[d].begin);
  return offset;
}

/// Mixes the points above and below. Stands for a library without functions for devices.
struct Mix {
  Box footprint(int, Box box) const {
    box[1] = {box[1].begin - 1, box[1].end + 1};
    return box;
  }
  void operator()(const LibraryBlock<const Number>& in, const LibraryBlock<Number>& out) const {
    for_each_point(out.box, [&](Point p) {
      Number& result = out.data[offset_of(out, p)];
      --p[1];
      const Number above = in.data[offset_of(in, p)];
      p[1] += 2;
      result = mixed(above, in.data[offset_of(in, p)]);
    });
  }
  std::int64_t scratch_bytes(const Box& box) const { return 1000 * box[1].size(); }
};

/// The sum of the points to the left, to the right and below.
struct Neighbours {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - 1, y) + in(x + 1, y) + in(x, y + 1);
  }
};

const Box image{{0, 23}, {0, 31}};
const BoundaryConditions border = Boundary::periodic;

Image random_image(std::uint64_t seed) {
  test::Random random(seed);
  Image values(image);
  for (Number& value : values.values) value = random.small(0, 1000);
  return values;
}

/// Applies `point` at the points of an image, whose other points are periodic.
template <class OfPoint>
Image applied(const Image& in, const OfPoint& point) {
  Image result(in.box);
  for_each_point(in.box, [&](const Point& p) {
    result.at(p) = point([&](std::int64_t dx, std::int64_t dy) {
      return in.bounded(border, {{p[0] + dx, p[1] + dy, 0, 0}});
    });
  });
  return result;
}
Image after_mix(const Image& in) {
  return applied(in, [](const auto& at) { return mixed(at(0, -1), at(0, 1)); });
}
Image after_neighbours(const Image& in) {
  return applied(in, [](const auto& at) { return at(-1, 0) + at(1, 0) + at(0, 1); });
}

/// Runs a pipeline from `seed` to `output` in plans for devices.
Image run(const Algorithm& pipeline, const Image& seed, const std::string& output, int ranks,
          const Schedule& schedule) {
  Target target;
  target.threads = 2;
  target.device = true;
  test::ArraySource<Number> source(seed);
  test::ArraySink<Number> sink(image);
  const std::vector<Plan> plans = make_plans(pipeline, schedule, target, ranks);
  Rehearsal(pipeline, plans).run({{{"seed", &source}}, {{output, &sink}}});
  EXPECT_TRUE(sink.every_point_written_once());
  return sink.array;
}

const std::vector<GridRequest> grids{GridRequest{{1, 0}}, GridRequest{{0, 1}}, GridRequest{{0, 0}}};

TEST(StagedStage, BetweenStagesOfDevicesWhileMessagesAreUnderWay) {
  Pipeline pipeline;
  const auto seed = pipeline.input<Number, 2>("seed", image, border);
  const auto first = pipeline.stage<Number>("first", Neighbours(), seed);
  pipeline.bound(first, image, border);
  const auto mix = pipeline.library_stage<Number, 2>("mix", Mix(), {}, first);
  pipeline.bound(mix, image, border);
  pipeline.output(pipeline.stage<Number>("last", Neighbours(), mix), image);
  const Image values = random_image(1);
  const Image expected = after_neighbours(after_mix(after_neighbours(values)));
  for (const int ranks : {1, 2, 3, 4})
    for (const GridRequest& grid : grids)
      for (const Overlap overlap : {Overlap::off, Overlap::on}) {
        Schedule schedule;
        schedule.grid = grid;
        schedule.overlap = overlap;
        EXPECT_TRUE(run(pipeline, values, "last", ranks, schedule).same_bits(expected)) << ranks;
      }
}

TEST(StagedStage, InLoopsThatSwapBuffers) {
  Pipeline pipeline;
  const auto u = pipeline.input<Number, 2>("seed", image, border);
  const auto v = pipeline.stage<Number>("v", Neighbours(), u);
  pipeline.bound(v, image, border);
  pipeline.repeat("turns", 5, [&](const Pipeline::Loop& loop) {
    const auto next = pipeline.library_stage<Number, 2>("next", Mix(), {}, v);
    pipeline.bound(next, image, border);
    loop.feed(next, v);
  });
  pipeline.output(v);
  const Image values = random_image(2);
  Image expected = after_neighbours(values);
  for (int turn = 0; turn < 5; ++turn) expected = after_mix(expected);
  for (const int ranks : {1, 2, 4})
    for (const int turns : {1, 2, 3}) {
      Schedule schedule;
      schedule.loops["turns"].turns_per_exchange = turns;
      const Rounds rounds = in_rounds(pipeline, schedule);
      const Image found = run(rounds.pipeline, values, "v", ranks, rounds.schedule);
      EXPECT_TRUE(found.same_bits(expected)) << ranks << " " << turns;
    }
}

TEST(StagedStage, PlansCountTheCopies) {
  Pipeline pipeline;
  const auto seed = pipeline.input<Number, 2>("seed", image, border);
  pipeline.output(pipeline.library_stage<Number, 2>("mix", Mix(), {}, seed), image);
  Target target;
  target.threads = 2;
  target.device = true;
  Schedule schedule;
  schedule.stages["mix"].tile = {32, 4};
  const Plan plan = make_plan(pipeline, schedule, target, 1, 0);
  std::int64_t copies = 0;
  for (const Buffer& buffer : plan.buffers) copies += aligned_bytes(buffer.bytes);
  EXPECT_EQ(staging_bytes(pipeline, plan, pipeline.find("mix")), copies);
  EXPECT_EQ(plan.library_bytes, copies + 2 * 4 * 1000);
  const std::string text = explain(pipeline, plan);
  for (const char* line :
       {"computed by                 threads of the host, with copies of its arrays in their memory",
        ", for the host's library calls 13."})
    EXPECT_NE(text.find(line), std::string::npos) << text;
  target.device = false;
  const Plan of_host = make_plan(pipeline, schedule, target, 1, 0);
  EXPECT_EQ(of_host.library_bytes, 2 * 4 * 1000);
  EXPECT_EQ(explain(pipeline, of_host).find("computed by  "), std::string::npos);
}

/// Points that a step does not compute stay in the buffer, although whole buffers are copied.
TEST(StagedStage, OtherPointsOfItsBufferStay) {
  Pipeline pipeline;
  const auto seed = pipeline.input<Number, 2>("seed", image, border);
  pipeline.output(pipeline.library_stage<Number, 2>("mix", Mix(), {}, seed), image);
  Target target;
  target.device = true;
  const Plan plan = make_plan(pipeline, {}, target, 1, 0);
  IdVector<BufferId, Block<>> blocks;
  for (const Buffer& buffer : plan.buffers) {
    blocks.push_back(Block<>("buffer", std::int64_t{sizeof(Number)}, buffer.box, buffer.aligned_x));
    Kokkos::deep_copy(blocks.back().memory(), std::byte{1});
  }
  IdVector<ArrayId, BufferId> written, read;
  for (const ArrayRegions& array : plan.stages) {
    written.push_back(array.written_buffer);
    read.push_back(array.read_buffer);
  }
  const RankBuffers buffers{blocks, written, read};
  const ArrayId mix = pipeline.find("mix");
  plan::Compute step;
  step.stage = mix;
  step.parts = {{{0, 1}, {0, 1}}};
  HostStaging staging(pipeline, plan);
  *reinterpret_cast<Number*>(staging.fetch(ExecutionSpace(), step, buffers).written[mix].origin) = 0;
  staging.store(ExecutionSpace(), step, buffers);
  ExecutionSpace().fence();
  const Block<>& block = blocks[written[mix]];
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), block.memory());
  const HostBlock points = block.host_block(image, mirror.data(), ElementType::int32);
  for_each_point(image, [&](const Point& p) {
    EXPECT_EQ(test::element_of<Number>(points, p), p[0] == 0 && p[1] == 0 ? 0 : 0x01010101);
  });
}

/// Copies points, and adds 1000 if a device does it.
struct CopyWithDeviceCall {
  struct Kernel {
    LibraryBlock<const Number> in;
    LibraryBlock<Number> out;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const {
      const std::int64_t width = out.box[0].end - out.box[0].begin;
      out.data[i % width + i / width * out.strides[1]] =
          in.data[i % width + i / width * in.strides[1]] + 1000;
    }
  };
  Box footprint(int, const Box& box) const { return box; }
  void operator()(const LibraryBlock<const Number>& in, const LibraryBlock<Number>& out) const {
    for_each_point(out.box, [&](const Point& p) { out.data[offset_of(out, p)] = in.data[offset_of(in, p)]; });
  }
  void launch(const ExecutionSpace& execution, const LibraryBlock<const Number>& in,
              const LibraryBlock<Number>& out) const {
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("copy", Policy(execution, 0, out.box.size()), Kernel{in, out});
  }
};

TEST(StagedStage, ACallForDevicesIsTakenInstead) {
  Pipeline pipeline;
  const auto seed = pipeline.input<Number, 2>("seed", image, border);
  pipeline.output(pipeline.library_stage<Number, 2>("copy", CopyWithDeviceCall(), {}, seed), image);
  const Image values = random_image(3);
  Image expected = values;
  for (Number& value : expected.values) value += 1000;
  EXPECT_TRUE(run(pipeline, values, "copy", 2, {}).same_bits(expected));
  Target target;
  target.device = true;
  EXPECT_FALSE(is_staged(pipeline, target, pipeline.find("copy")));
  EXPECT_EQ(make_plan(pipeline, {}, target, 1, 0).library_bytes, 0);
}

}  // namespace
