// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace bench {

/// Milliseconds of one run, over the repetitions: of each rank, and then of the slowest rank.
struct Timing {
  double minimum = 0;
  double median = 0;
  double percentile_20 = 0;
  double percentile_80 = 0;
};

/// Returns the smallest of `sorted` values that at least `percent` per cent of them do not exceed. There is
/// at least one value, and they are sorted from the smallest to the largest.
inline double percentile(const std::vector<double>& sorted, std::size_t percent) {
  const std::size_t values = (percent * sorted.size() + 99) / 100;
  return sorted[std::max<std::size_t>(values, 1) - 1];
}

/// Returns the statistics of the times of a rank, each of the slowest rank. Collective.
inline Timing statistics(MPI_Comm communicator, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  Timing timing{times.front(), times[times.size() / 2], percentile(times, 20), percentile(times, 80)};
  static_assert(sizeof timing == 4 * sizeof(double));
  MPI_Allreduce(MPI_IN_PLACE, &timing, 4, MPI_DOUBLE, MPI_MAX, communicator);
  return timing;
}

/// Times several things side by side: three rounds, in each of which every one runs once untimed and then in
/// a block of repetitions. If `repetitions` is 0, each one is timed at least 15 times and for 0.3 s in all.
/// Otherwise each one is timed that often, however long that takes, but at least once in each round. The
/// ranks start each repetition together.
template <class... Runs>
std::vector<Timing> time_together(MPI_Comm communicator, int repetitions, const Runs&... runs) {
  constexpr int rounds = 3;
  constexpr int least_repetitions = 5;
  constexpr double least_milliseconds = 100;
  std::vector<std::vector<double>> samples(sizeof...(Runs));
  const auto block = [&](const auto& run, std::vector<double>& times, int round) {
    run();
    const int share = repetitions * (round + 1) / rounds - repetitions * round / rounds;
    double spent = 0;
    const auto is_enough = [&](int done) {
      if (repetitions > 0) return done >= std::max(share, 1);
      return done >= least_repetitions && spent >= least_milliseconds;
    };
    for (int done = 0; !is_enough(done); ++done) {
      MPI_Barrier(communicator);
      const auto start = std::chrono::steady_clock::now();
      run();
      times.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
      // Rank 0 decides for all when it is enough.
      spent += times.back();
      MPI_Bcast(&spent, 1, MPI_DOUBLE, 0, communicator);
    }
  };
  for (int round = 0; round < rounds; ++round) {
    std::size_t i = 0;
    (block(runs, samples[i++], round), ...);
  }
  std::vector<Timing> timings;
  for (const std::vector<double>& times : samples) timings.push_back(statistics(communicator, times));
  return timings;
}

}  // namespace bench
