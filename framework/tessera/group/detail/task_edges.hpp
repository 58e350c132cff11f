// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/group/detail/rank_memory.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::group {

/// The sources and sinks of a task, which take its inputs from the memories of ranks and keep its outputs
/// there.
class TaskEdges {
 public:
  /// Makes no sources and sinks.
  TaskEdges() = default;
  /// Makes the sources and sinks of the task number `task`. `ranks` are the memories of the ranks that run in
  /// this process, in the order in which plans call sources and sinks.
  TaskEdges(const Program& program, int task, const std::vector<const RankMemory*>& ranks);

  /// The sources and sinks, for a run of the pipeline of the task.
  const Bindings& bindings() const { return bindings_; }

 private:
  std::vector<std::unique_ptr<HeldSource>> sources_;
  std::vector<std::unique_ptr<HeldSink>> sinks_;
  Bindings bindings_;
};

}  // namespace tessera::group
