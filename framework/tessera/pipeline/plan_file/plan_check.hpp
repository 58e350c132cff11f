// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Throws InputError, one line that names the step or stage, unless running the plan stays within its
/// memory and reads nothing that is not there: plans of make_plan do, plans from files are checked. A plan
/// that passes may still leave points out, or be slow.
void check_plan(const Algorithm& pipeline, const Plan& plan);

/// The same for the plans of all ranks, by rank, which also must agree: the same steps everywhere, and every
/// message sent is one that is received.
void check_plans(const Algorithm& pipeline, const std::vector<Plan>& plans);

}  // namespace tessera
