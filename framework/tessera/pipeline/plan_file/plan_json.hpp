// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Returns a plan as JSON text, which ends with a line feed. The text contains the whole plan and a
/// description of its pipeline. From this description, plan_from_json can tell whether the plan belongs to
/// another pipeline.
std::string to_json(const Algorithm& pipeline, const Plan& plan);

/// Returns the plan that `text` contains; the text comes from to_json. Throws InputError if the text is not a
/// plan, if it holds several plans or the plan of another pipeline, or if the plan cannot be run (see
/// check_plan). The message is one line and does not contain the name of a file.
Plan plan_from_json(const Algorithm& pipeline, std::string_view text);

/// Returns the plans of all ranks, ordered by rank, as one JSON text, which ends with a line feed.
std::string to_json(const Algorithm& pipeline, const std::vector<Plan>& plans);
/// Returns the plans of all ranks that `text` contains, ordered by rank; the text comes from to_json. Throws
/// InputError if the text does not hold plans, if the plans are those of another pipeline, or if they cannot
/// be run (see check_plans). The message is one line and does not contain the name of a file.
std::vector<Plan> plans_from_json(const Algorithm& pipeline, std::string_view text);

}  // namespace tessera
