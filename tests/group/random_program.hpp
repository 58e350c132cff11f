// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "pipeline/mixed_graph.hpp"
#include "tessera/group/program.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/group/program_run.hpp"

namespace tessera::test {

/// A random pipeline that is cut into random tasks, with random groups of ranks.
struct RandomProgram {
  MixedGraph graph;
  group::Program program;
  group::GroupSchedule schedule;
  Target target;
  int ranks = 1;

  std::string text() const;
};

/// Random tasks for the stages of a pipeline, for `cut`. They may depend on each other in a cycle.
std::vector<group::TaskStages> random_tasks(Random& random, const Algorithm& pipeline);

/// A schedule with groups of any ranks, in any order, in an order of the tasks in which they can begin.
group::GroupSchedule random_groups(Random& random, const group::Program& program, int ranks);

/// Any program whose tasks do not depend on each other in a cycle.
RandomProgram random_program(Random& random, int ranks);

/// The sources and sinks of a graph, for a program that computes it.
group::ProgramBindings program_bindings(const MixedBindings& bindings);

}  // namespace tessera::test
