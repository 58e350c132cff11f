// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "pipeline/world.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

// Runs of pipelines with reductions. A Sample is made of random numbers and has `pipeline`, whose last stage
// is `less`, and the array `less` that this stage has to compute. A Found has the sources and sinks of a
// sample, among them `less`, and compares the results of reductions with those of the sample.
namespace tessera::test {

/// Runs random samples by random schedules on any number of ranks of this process.
template <class Sample, class Found>
void expect_results_by_any_schedule(Random random) {
  for (int i = 0; i < 100; ++i) {
    const Sample sample(random);
    const Schedule schedule = random_schedule(random, sample.pipeline);
    Target target;
    target.threads = random.small(1, 3);
    target.device = !runs_on_host || random.chance(30);
    const int ranks = random.small(1, 7);
    const std::string text = to_string(schedule) + " on " + std::to_string(ranks);
    const std::vector<Plan> plans = make_plans(sample.pipeline, schedule, target, ranks);
    Found found(sample);
    Rehearsal(sample.pipeline, plans).run(found.bindings());
    found.expect_results(sample, text);
    EXPECT_EQ(found.less.array.values, sample.less.values) << text;
  }
}

/// Runs random samples by random schedules on the ranks of MPI.
template <class Sample, class Found>
void expect_results_on_ranks(Random random) {
  for (int i = 0; i < 20; ++i) {
    const Sample sample(random);
    const Schedule schedule = random_schedule(random, sample.pipeline);
    const int ranks = world_size(), rank = world_rank();
    PlanInstance instance(sample.pipeline, make_plan(sample.pipeline, schedule, {}, ranks, rank),
                          MPI_COMM_WORLD);
    Found found(sample);
    instance.run(found.bindings());
    std::int64_t wrong = 0;
    for_each_point(instance.plan().stages.back().owned,
                   [&](const Point& p) { wrong += found.less.array.at(p) != sample.less.at(p); });
    EXPECT_EQ(wrong, 0) << to_string(schedule);
    // Rank 0 writes the results of reductions.
    if (rank == 0) found.expect_results(sample, to_string(schedule));
  }
}

}  // namespace tessera::test
