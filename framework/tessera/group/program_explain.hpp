// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/group/program_plan.hpp"

namespace tessera::group {

/// Returns lines about a program on all ranks: what each task gets from which other tasks, what ranks send
/// each other, and the memory of a rank at most. `plans` has the plans of all ranks.
std::string explain(const Program& program, const std::vector<ProgramPlan>& plans);

/// Returns lines about one rank: its steps in order, with the messages that it awaits before each and sends
/// after each, and what it keeps in memory.
std::string explain(const Program& program, const ProgramPlan& plan);

}  // namespace tessera::group
