// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// All of a plan, and of its pipeline what tells it from others, as JSON text. Ends with a line feed.
std::string to_json(const Algorithm& pipeline, const Plan& plan);

/// The plan in a text of to_json. Throws InputError, one line without the name of a file, when the text is no
/// plan, holds one of another pipeline or several, or says what cannot be run (see check_plan).
Plan plan_from_json(const Algorithm& pipeline, std::string_view text);

/// The same for the plans of all ranks, by rank; what they say of each other is checked as well.
std::string to_json(const Algorithm& pipeline, const std::vector<Plan>& plans);
std::vector<Plan> plans_from_json(const Algorithm& pipeline, std::string_view text);

}  // namespace tessera
