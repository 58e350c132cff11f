// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/step_recorder.hpp"

namespace tessera::app {

/// Returns the phases and steps of all ranks in the JSON of Chrome's trace viewer, which chrome://tracing and
/// Perfetto show. It has a process for each rank, and an event for each phase and each call of a step. The
/// text ends with a line feed.
std::string trace_text(const Algorithm& pipeline, const Plan& any_plan,
                       const std::vector<std::vector<StepRecorder::Event>>& events_by_rank);

}  // namespace tessera::app
