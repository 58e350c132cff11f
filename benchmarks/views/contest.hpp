// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One way to do the job of a benchmark.
struct Contender {
  std::string name;
  std::function<void()> run;
};

/// How a job is timed.
struct Trial {
  MPI_Comm communicator;
  /// Runs per timed section: many, where one is too short for the clock.
  int batch = 1;
  /// Whether the caches hold something else before each timed section.
  bool cold = false;
};

/// Microseconds of one run: the median over the repetitions, of the slowest rank in each.
struct Outcome {
  double tessera = 0;
  double baseline = 0;
};

/// Times Tessera and the baselines in turn, so that what disturbs one disturbs all, once each per iteration
/// of `state`. Reports the fastest baseline, which the label names, and the ratio. Collective.
Outcome compete(benchmark::State& state, const Trial& trial, const std::function<void()>& tessera,
                const std::vector<Contender>& baselines);

/// The same without a baseline: microseconds of a run that only the ranks themselves time.
double time_alone(benchmark::State& state, const Trial& trial, const std::function<void()>& run);

/// Iterations of each benchmark: repetitions of each contender.
inline constexpr int repetitions = 51;

void register_halo(MPI_Comm communicator);
void register_small_messages(MPI_Comm communicator);
void register_redistribution(MPI_Comm communicator);
void register_planning(MPI_Comm communicator);

}  // namespace bench
