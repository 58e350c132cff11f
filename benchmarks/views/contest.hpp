// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <functional>
#include <vector>

#include "turns.hpp"

namespace bench {

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
