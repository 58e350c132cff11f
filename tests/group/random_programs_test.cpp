// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "groups/random_programs.hpp"
#include "tessera/group/allocation.hpp"
#include "tessera/group/schedule.hpp"

namespace {

using namespace tessera::group;

#ifdef TESSERA_TEST_FEWER
constexpr int random_programs = 20;
#else
constexpr int random_programs = 500;
#endif

/// Few schedules, as every strategy must be valid for every program. The benchmark tells how good they are
/// with more.
constexpr int few_schedules = 80;

GroupSchedule checked(const bench::RandomProgram& program, Strategy strategy) {
  AllocationSettings settings;
  settings.strategy = strategy;
  settings.communication = bench::random_program_network;
  settings.most_schedules = few_schedules;
  GroupSchedule schedule = allocate(program.graph, program.ranks, settings);
  check_schedule(program.graph, settings.communication, schedule);
  EXPECT_GE(schedule.makespan, schedule.lower_bound * (1 - 1e-9));
  return schedule;
}

TEST(RandomPrograms, SchedulesAreValidAndMixedIsTheBest) {
  int searched = 0;
  for (int seed = 0; seed < random_programs; ++seed) {
    SCOPED_TRACE(seed);
    const bench::RandomProgram program = bench::random_program(static_cast<std::uint64_t>(seed));
    EXPECT_GE(program.graph.size(), 5);
    EXPECT_LE(program.graph.size(), 60);
    const GroupSchedule mixed = checked(program, Strategy::mixed);
    EXPECT_LE(mixed.makespan, checked(program, Strategy::data).makespan);
    EXPECT_LE(mixed.makespan, checked(program, Strategy::task).makespan);
    searched += mixed.strategy == "search" ? 1 : 0;
  }
  // With few schedules the search is not as good as in the benchmark, but mostly better than nothing.
  EXPECT_GT(2 * searched, random_programs);
}

TEST(RandomPrograms, StreamsAreValidAndNearTheirBound) {
  for (int seed = 0; seed < random_programs; seed += 5) {
    SCOPED_TRACE(seed);
    const bench::RandomProgram program = bench::random_program(static_cast<std::uint64_t>(seed));
    const GroupSchedule stream = allocate_stream(program.graph, program.ranks, bench::random_program_network);
    check_schedule(program.graph, bench::random_program_network, stream);
    EXPECT_GE(stream.period, stream.lower_bound * (1 - 1e-9));
    EXPECT_LE(stream.period, stream.lower_bound * 1.1);
    EXPECT_GE(stream.makespan, stream.period * (1 - 1e-9));
  }
}

}  // namespace
