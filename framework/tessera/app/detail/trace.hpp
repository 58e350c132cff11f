// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/step_recorder.hpp"

namespace tessera::app {

/// Returns a trace of the phases and steps of all ranks. The trace is text in the JSON format of Chrome's
/// trace viewer, which Perfetto also reads. The trace has a process for each rank, and an event for each
/// span of a phase and each call of a step. `any_plan` is the plan of any rank, and provides the names of the
/// steps. The text ends with a line feed.
std::string trace_text(const Algorithm& pipeline, const Plan& any_plan,
                       const std::vector<std::vector<StepRecorder::Event>>& events_by_rank);

}  // namespace tessera::app
