// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The steps of a plan's compute phase while the plan is made, in the order in which they run, and the
/// lifetime of each buffer in numbers of steps. The beginning and the end of a loop count as steps.
class PlanSteps {
 public:
  /// Adds a step and returns its number.
  template <class Step>
  int add(Step step) {
    steps_.push_back(PlanNode{0, std::move(step)});
    return size() - 1;
  }
  /// Begins a loop. All steps that are added before the matching end_loop() belong to the loop. Returns the
  /// number of the step at which the loop begins.
  int begin_loop(plan::Repeat loop);
  /// Ends the innermost loop. Returns the number of the step at which the loop ends.
  int end_loop();
  int size() const { return static_cast<int>(steps_.size()); }

  /// Adds a buffer. Buffers are numbered from 0 in the order in which they are added.
  void add_buffer() { lifetimes_.push_back({}); }
  /// Notes that a step uses a buffer.
  void use(BufferId buffer, int step) { lifetimes_[buffer].use(step); }
  /// Makes a buffer be in use before the first step.
  void use_before(BufferId buffer) { use(buffer, -1); }
  /// Makes a buffer be in use after the last step.
  void use_after(BufferId buffer) { use(buffer, size()); }
  /// Gives buffers that a plan swaps the same lifetime: all of them are in use whenever one of them is.
  void unite(const std::vector<BufferId>& buffers);

  /// Completes and returns the lifetimes of all buffers. A buffer that is used in a loop and also before or
  /// after it is in use during the whole loop.
  const IdVector<BufferId, Lifetime>& settle_lifetimes();

  /// Returns the steps as nodes. The steps are moved out of this object.
  std::vector<PlanNode> take_nodes();

  /// Returns the place of a step among the nodes, depth first. The end of a loop has the place of its last
  /// node.
  int node_of(int step) const;

 private:
  std::vector<PlanNode> steps_;
  /// The lifetime of each buffer.
  IdVector<BufferId, Lifetime> lifetimes_;
  /// The steps at which each loop begins and ends. Inner loops are listed before outer loops.
  std::vector<std::pair<int, int>> loops_;
  /// The steps at which loops begin that have not ended yet.
  std::vector<int> open_loops_;
};

/// Combines all boxes of an exchange that are sent to the same rank into one message, and all boxes that are
/// received from the same rank as well. If a message has several boxes, they are packed into a buffer and no
/// longer sent in place. Returns the number of bytes of all buffers for packed messages.
std::int64_t merge_messages(plan::Exchange& exchange, const Algorithm& pipeline);

}  // namespace tessera
