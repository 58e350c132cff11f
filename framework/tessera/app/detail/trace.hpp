// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tessera/app/detail/step_recorder.hpp"

namespace tessera::app {

/// The name of a part of the work in a trace, and its kind.
struct StepName {
  std::string name;
  std::string kind;
};

/// The names of parts, by the numbers of their events.
using StepNames = std::map<int, StepName>;

/// Returns a trace of all ranks. The trace is text in the JSON format of Chrome's trace viewer, which
/// Perfetto also reads. The trace has a process for each rank, and an event for each span of a phase and each
/// call of a part that `names` has. The text ends with a line feed.
std::string trace_text(StepNames names, const std::vector<std::vector<Recorder::Event>>& events_by_rank);

/// Returns a trace of the steps of a plan. `any_plan` is the plan of any rank, and provides the names of the
/// steps.
std::string trace_text(const Algorithm& pipeline, const Plan& any_plan,
                       const std::vector<std::vector<Recorder::Event>>& events_by_rank);

}  // namespace tessera::app
