// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Throws InputError if running the plan would access memory outside its buffers, or read points that the
/// rank does not hold. The message is one line that names the faulty step or stage. Plans that make_plan
/// returns always pass; the check is meant for plans from files. A plan that passes may still be slow, or
/// leave some points of the results uncomputed.
void check_plan(const Algorithm& pipeline, const Plan& plan);

/// Checks the plan of each rank as check_plan does. `plans` is ordered by rank. Also throws InputError if the
/// plans do not agree with each other: they must have the same steps, and every message that one rank sends
/// must be received by another rank.
void check_plans(const Algorithm& pipeline, const std::vector<Plan>& plans);

}  // namespace tessera
