// SPDX-License-Identifier: BSD-3-Clause
#include "timing.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace tessera::test {
namespace {

TEST(Timing, APercentileIsTheSmallestValueThatSoManyDoNotExceed) {
  const std::vector<double> ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(bench::percentile(ten, 20), 2);
  EXPECT_EQ(bench::percentile(ten, 80), 8);
  EXPECT_EQ(bench::percentile({3, 5, 9}, 20), 3);
  EXPECT_EQ(bench::percentile({3, 5, 9}, 80), 9);
  EXPECT_EQ(bench::percentile({7}, 20), 7);
}

TEST(Timing, EachThingIsTimedAsManyTimesAsAsked) {
  for (const int repetitions : {3, 4, 50}) {
    int first = 0, second = 0;
    const auto timings = bench::time_together(
        MPI_COMM_WORLD, repetitions, [&] { ++first; }, [&] { ++second; });
    constexpr int untimed = 3;
    EXPECT_EQ(first, repetitions + untimed);
    EXPECT_EQ(second, repetitions + untimed);
    ASSERT_EQ(timings.size(), 2U);
    for (const bench::Timing& timing : timings) {
      EXPECT_LE(timing.minimum, timing.percentile_20);
      EXPECT_LE(timing.percentile_20, timing.median);
      EXPECT_LE(timing.median, timing.percentile_80);
    }
  }
}

TEST(Timing, WithoutANumberThingsAreTimedAtLeast15Times) {
  int runs = 0;
  bench::time_together(MPI_COMM_WORLD, 0, [&] {
    ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  });
  EXPECT_GE(runs, 15 + 3);
}

TEST(Timing, EveryStatisticIsThatOfTheSlowestRank) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double mine = rank, slowest = ranks - 1;
  const bench::Timing timing = bench::statistics(MPI_COMM_WORLD, {mine + 3, mine + 1, mine + 2});
  EXPECT_EQ(timing.minimum, slowest + 1);
  EXPECT_EQ(timing.median, slowest + 2);
  EXPECT_EQ(timing.percentile_20, slowest + 1);
  EXPECT_EQ(timing.percentile_80, slowest + 3);
}

}  // namespace
}  // namespace tessera::test
