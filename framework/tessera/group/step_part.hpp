// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera::group {

/// A part of a step of a rank in a program.
struct StepPart {
  /// The kinds of work that a rank does in a step.
  enum class Kind {
    wait,     ///< Waits for messages, or for other ranks.
    read,     ///< Reads inputs of the program.
    compute,  ///< Executes a node of the plan of a task.
    send,     ///< Packs points for other ranks, and sends them.
    write     ///< Writes outputs of the program.
  };
  /// The names of the kinds, in their order.
  static constexpr std::array names_of_kinds = {"wait", "read", "compute", "send", "write"};

  /// The number of the task, start_task or stop_task.
  int task = 0;
  /// The kind of work that the rank does.
  Kind kind = Kind::wait;
  /// The node of the plan of the task; null unless the kind is `compute`.
  const PlanNode* node = nullptr;
  /// The item of a stream; 0 if the program runs once.
  std::int64_t item = 0;
};

/// Is called on a rank whenever a part of a step begins, and the last one has therefore ended.
using PartObserver = std::function<void(const StepPart&)>;

}  // namespace tessera::group
