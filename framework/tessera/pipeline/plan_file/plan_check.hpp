// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Throws InputError unless running the plan stays within its memory and reads nothing that is not there; the
/// message is one line that names the step or stage. Plans of make_plan pass; plans from files are checked. A
/// plan that passes may still leave points out, or be slow.
void check_plan(const Algorithm& pipeline, const Plan& plan);

/// Checks the plans of all ranks, by rank, as check_plan does. They must also agree with each other: the
/// steps are the same everywhere, and every message that is sent is received.
void check_plans(const Algorithm& pipeline, const std::vector<Plan>& plans);

}  // namespace tessera
