// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// A plan as JSON text, which ends with a line feed. The text has all of the plan, and as much of its
/// pipeline as tells it from others.
std::string to_json(const Algorithm& pipeline, const Plan& plan);

/// The plan in a text of to_json. Throws InputError, whose message is one line without the name of a file,
/// when the text is no plan, holds a plan of another pipeline or several plans, or says what cannot be run
/// (see check_plan).
Plan plan_from_json(const Algorithm& pipeline, std::string_view text);

/// The plans of all ranks, by rank, as one JSON text, which ends with a line feed.
std::string to_json(const Algorithm& pipeline, const std::vector<Plan>& plans);
/// The plans of all ranks in a text of to_json. Throws InputError as plan_from_json does, and when the plans
/// do not agree with each other (see check_plans).
std::vector<Plan> plans_from_json(const Algorithm& pipeline, std::string_view text);

}  // namespace tessera
