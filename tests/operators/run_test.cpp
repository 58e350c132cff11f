// SPDX-License-Identifier: BSD-3-Clause
// Operators on real ranks and threads give the bits that they give on one rank.
#include <gtest/gtest.h>

#include <cstring>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "pipeline/world.hpp"
#include "tessera/operators/operators.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace tessera::test {
namespace {

using operators::Image;

/// A chain of one of the operators of each family.
template <class T, int N>
struct Sample {
  explicit Sample(const Box& box) {
    const Image input = operators::image_of(pipeline, pipeline.input<T, N>("input", box, Boundary::clamp));
    const Image smooth = operators::gaussian(pipeline, input, {.sigma = 1.2}, "smooth");
    const Image edges = operators::sobel(pipeline, smooth, {.border = Boundary::mirror}, "edges");
    const Image clean = operators::median(pipeline, edges, {.window = {7, 5}}, "clean");
    const Image sum = operators::add(pipeline, clean, input, {}, "sum");
    const Image wide = operators::resize(pipeline, sum, {.size = {70, 51}}, "wide");
    const Image opened = operators::open(pipeline, wide, {.window = {3, 3}, .border = Boundary::periodic});
    result = operators::stretch(pipeline, opened, {}, "result");
    operators::output(pipeline, result);
  }
  Pipeline pipeline;
  Image result;
};

template <class T, int N>
void expect_same_bits(Random& random, const Box& box) {
  const Sample<T, N> sample(box);
  WholeArray<T> image(box);
  for (T& value : image.values) value = static_cast<T>(random.small(0, 250));
  ArraySource<T> source(image);
  ArraySink<T> expected(sample.result.domain);
  Rehearsal(sample.pipeline, make_plans(sample.pipeline, {}, {}, 1))
      .run({{{"input", &source}}, {{"result", &expected}}});
  for (int run = 0; run < 6; ++run) {
    const Schedule schedule = random_schedule(random, sample.pipeline);
    Target target;
    target.threads = HostExecutionSpace().concurrency();
    PlanInstance instance(sample.pipeline,
                          make_plan(sample.pipeline, schedule, target, world_size(), world_rank()),
                          MPI_COMM_WORLD);
    ArraySink<T> sink(sample.result.domain);
    instance.run({{{"input", &source}}, {{"result", &sink}}});
    std::int64_t wrong = 0, written = 0;
    for_each_point(sink.array.box, [&](const Point& p) {
      written += sink.writes.at(p);
      wrong += sink.writes.at(p) > 0 && std::memcmp(&sink.array.at(p), &expected.array.at(p), sizeof(T)) != 0;
    });
    EXPECT_EQ(wrong, 0) << to_string(schedule) << ", rank " << world_rank() << " of " << world_size();
    std::int64_t all = 0;
    MPI_Allreduce(&written, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(all, sink.array.box.size());
  }
}

TEST(OperatorsRun, GiveTheSameBitsOnRanks) {
  Random random(1);
  expect_same_bits<std::uint8_t, 2>(random, {{0, 61}, {0, 37}});
  expect_same_bits<std::uint16_t, 3>(random, {{0, 23}, {0, 41}, {0, 3}});
  expect_same_bits<float, 2>(random, {{0, 40}, {0, 3}});
}

}  // namespace
}  // namespace tessera::test
