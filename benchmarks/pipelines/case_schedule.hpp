// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "pipelines/pipeline_case.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace bench {

/// The schedule `name` of a case: the deck <decks>/<application>/<name>.yaml, then `overrides`, which are
/// `key=value`. Without an application, or with an empty name, all stages are distributed. Throws InputError.
tessera::Schedule schedule_of(const PipelineCase& the_case, const std::string& decks, const std::string& name,
                              const std::vector<std::string>& overrides);

}  // namespace bench
