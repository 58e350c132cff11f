// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/group/task_graph.hpp"

namespace bench {

/// The shapes of random programs.
enum class ProgramShape {
  /// Layers of tasks. Each task reads one to three tasks of the layer before.
  layers,
  /// Tasks that fork into several equal ones and join again, several times in turn.
  fork_join,
  /// Tasks in series and in parallel, nested at random.
  series_parallel,
};

inline constexpr std::string_view program_shape_names[] = {"layers", "fork-join", "series-parallel"};

/// A random program, and the number of ranks to run it on.
struct RandomProgram {
  ProgramShape shape = ProgramShape::layers;
  tessera::group::TaskGraph graph;
  int ranks = 1;
};

/// The network of the random programs: 2 microseconds for each message, and 10 GB in a second.
inline constexpr tessera::group::Communication random_program_network{{2e-6, 1e-10},
                                                                      tessera::group::Travel::between_ranks};

/// Returns a random program of 5 to 60 tasks on 2 to 1024 ranks, which depends on the seed only. Shapes take
/// turns. Seconds on one rank are from 0.1 to 10; of three tasks in ten nothing is serial, of the others a
/// fraction from 0.0001 to 0.1, all evenly in the logarithm; a quarter of the costs are tables for powers of
/// two. Arrays have 1 to 64 MB.
RandomProgram random_program(std::uint64_t seed);

/// Returns a random program of exactly `tasks` tasks on `ranks` ranks.
RandomProgram random_program(std::uint64_t seed, ProgramShape shape, int tasks, int ranks);

}  // namespace bench
