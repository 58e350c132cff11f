// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "domain/random.hpp"
#include "tessera/group/task_graph.hpp"

namespace tessera::test {

/// Returns the makespan of the best schedule of a graph, where arrays travel in no time, by trying all tasks
/// as the next one on all numbers of ranks. Every schedule can be made so that tasks are placed in the order
/// of their starts, each as early as possible, and then it does not matter which of the free ranks it takes.
/// `upper` is a makespan that is known to be possible.
double shortest_makespan(const group::TaskGraph& graph, int ranks, double upper);

/// Returns a random graph with few tasks: each pair has an edge in four cases of ten. Costs are by Amdahl's
/// law or from tables, and some tasks cannot use all ranks.
group::TaskGraph small_graph(Random& random, int tasks, std::int64_t bytes = 0);

}  // namespace tessera::test
