// SPDX-License-Identifier: BSD-3-Clause
// Transforms on the ranks of this test: the bits of one rank.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "pipeline/world.hpp"
#include "spectral/spectral_sample.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/spectral/dft.hpp"

namespace {

using namespace tessera;
using test::Complex;
using test::for_each_point;
using test::Point;
using test::WholeArray;

/// The points that this rank writes are those that one virtual rank computes.
template <class T, int N>
void expect_bits_of_one_rank(const Box& box, const GridRequest& grid) {
  test::Random random(51);
  WholeArray<T> image(box);
  fill_randomly(random, image);
  const Box half = spectral::half_spectrum(box);
  Pipeline pipeline;
  const auto in = pipeline.input<T, N>("input", box);
  const auto spectrum = spectral::dft_of_real<T, N>(pipeline, "spectrum", in, box);
  pipeline.output(spectrum, half);
  pipeline.output(spectral::inverse_dft_to_real<T, N>(pipeline, "again", spectrum, box), box);

  const auto compute = [&](auto&& run) {
    test::ArraySource<T> source(image);
    auto sinks = std::make_pair(test::ArraySink<Complex<T>>(half), test::ArraySink<T>(box));
    run(Bindings{{{"input", &source}}, {{"spectrum", &sinks.first}, {"again", &sinks.second}}});
    return sinks;
  };
  const auto expected = compute(
      [&](const Bindings& bindings) { Rehearsal(pipeline, make_plans(pipeline, {}, {}, 1)).run(bindings); });
  Schedule schedule;
  schedule.grid = grid;
  Target target;
  target.threads = HostExecutionSpace().concurrency();
  const auto found = compute([&](const Bindings& bindings) {
    const Plan plan = make_plan(pipeline, schedule, target, test::world_size(), test::world_rank());
    PlanInstance(pipeline, plan, MPI_COMM_WORLD).run(bindings);
  });
  const auto compare = [](const auto& mine, const auto& all) {
    std::vector<int> writes = mine.writes.values;
    MPI_Allreduce(MPI_IN_PLACE, writes.data(), static_cast<int>(writes.size()), MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
    EXPECT_EQ(writes, std::vector<int>(writes.size(), 1));
    for_each_point(all.array.box, [&](const Point& p) {
      if (mine.writes.at(p) == 0) return;
      EXPECT_EQ(std::memcmp(&mine.array.at(p), &all.array.at(p), sizeof mine.array.at(p)), 0);
    });
  };
  compare(found.first, expected.first);
  compare(found.second, expected.second);
}

TEST(DftRun, PlanesAndSpaces) {
  for (const GridRequest& grid : {GridRequest{{1, 0}}, GridRequest{{0, 1}}, GridRequest{{0, 0}}}) {
    expect_bits_of_one_rank<float, 2>({{0, 130}, {0, 67}}, grid);
    expect_bits_of_one_rank<double, 2>({{0, 64}, {0, 1}}, grid);
    expect_bits_of_one_rank<double, 2>({{0, 1}, {0, 2}}, grid);
  }
  for (const GridRequest& grid : {GridRequest{{1, 0, 0}}, GridRequest{{0, 0, 1}}})
    expect_bits_of_one_rank<float, 3>({{0, 20}, {0, 15}, {0, 11}}, grid);
}

}  // namespace
