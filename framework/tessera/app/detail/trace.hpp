// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/step_recorder.hpp"

namespace tessera::app {

/// The phases and steps of all ranks in the JSON of Chrome's trace viewer, which chrome://tracing and
/// Perfetto show: a process per rank, and an event per phase and per call of a step. Ends with a line feed.
std::string trace_text(const Algorithm& pipeline, const Plan& any_plan,
                       const std::vector<std::vector<StepRecorder::Event>>& events_by_rank);

}  // namespace tessera::app
