// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/task_edges.hpp"

namespace tessera::group {

TaskEdges::TaskEdges(const Program& program, int task, const std::vector<const RankMemory*>& ranks) {
  const Algorithm& pipeline = program.task(task).pipeline;
  for (int id = 0; id < pipeline.size(); ++id) {
    if (pipeline[id].is_input()) {
      sources_.push_back(std::make_unique<HeldSource>(ranks, program.read_at({task, id})));
      bindings_.sources[pipeline[id].name] = sources_.back().get();
    }
    if (pipeline[id].is_output) {
      sinks_.push_back(std::make_unique<HeldSink>(ranks, program.computed_at({task, id})));
      bindings_.sinks[pipeline[id].name] = sinks_.back().get();
    }
  }
}

}  // namespace tessera::group
