// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace bench {

/// Milliseconds of one run, over the repetitions: of each rank, and then of the slowest rank.
struct Timing {
  double minimum = 0;
  double median = 0;
};

/// Times several things side by side: three rounds, in each of which every one runs once untimed and then in
/// a block of repetitions, at least 15 and 0.3 s of them in all. The ranks start each repetition together.
template <class... Runs>
std::vector<Timing> time_together(MPI_Comm communicator, const Runs&... runs) {
  constexpr int rounds = 3;
  constexpr int least_repetitions = 5;
  constexpr double least_milliseconds = 100;
  std::vector<std::vector<double>> samples(sizeof...(Runs));
  const auto block = [&](const auto& run, std::vector<double>& times) {
    run();
    double spent = 0;
    for (int repetition = 0; repetition < least_repetitions || spent < least_milliseconds; ++repetition) {
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
    (block(runs, samples[i++]), ...);
  }
  std::vector<Timing> timings;
  for (auto& times : samples) {
    std::sort(times.begin(), times.end());
    Timing timing{times.front(), times[times.size() / 2]};
    MPI_Allreduce(MPI_IN_PLACE, &timing, 2, MPI_DOUBLE, MPI_MAX, communicator);
    timings.push_back(timing);
  }
  return timings;
}

}  // namespace bench
