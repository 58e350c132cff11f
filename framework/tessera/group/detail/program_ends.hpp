// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/group/detail/rank_memory.hpp"
#include "tessera/group/program_run.hpp"

namespace tessera::group {

/// Reads the points of all inputs of a program that a rank reads at the start. Collective if several ranks
/// run. Throws InternalError if an input has no source, and the errors of the sources.
void read_inputs(const Program& program, const RankMemory& memory, const ProgramBindings& bindings);

/// Writes the points `box` of an array, which the rank keeps or has received.
void write_block(const Program& program, const RankMemory& memory, int array, const Box& box,
                 BlockSink& sink);

/// Writes the points of all outputs that a rank writes at the stop. Collective if several ranks run. Throws
/// the errors of the sinks.
void write_outputs(const Program& program, const ProgramPlan& plan, const RankMemory& memory,
                   const ProgramBindings& bindings);

}  // namespace tessera::group
