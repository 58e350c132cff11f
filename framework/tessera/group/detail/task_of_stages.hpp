// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/group/cut.hpp"

namespace tessera::group {

/// The tasks into which a pipeline is cut.
struct StageTasks {
  /// The names of the tasks.
  std::vector<std::string> names;
  /// The number of the task of each array, by the id of the array; -1 for inputs of the pipeline.
  std::vector<int> task_of;
};

/// Returns the task of each stage, as `cut` describes it. Throws InputError as `cut` does.
StageTasks tasks_of_stages(const Algorithm& pipeline, const std::vector<TaskStages>& tasks);

}  // namespace tessera::group
