// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "tessera/pipeline/plan/lifetimes.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The steps of a plan's compute phase while it is being made, in the order in which they run, and from when
/// to when each buffer is in use. Steps are numbered; the beginning and the end of a loop count as steps.
class PlanSteps {
 public:
  /// Returns the number of the step.
  template <class Step>
  int add(Step step) {
    steps_.push_back(PlanNode{0, std::move(step)});
    return size() - 1;
  }
  /// The steps from here to `end_loop` run again and again. Returns the number of the beginning.
  int begin_loop(plan::Repeat loop);
  /// Returns the number of the end of the innermost loop.
  int end_loop();
  int size() const { return static_cast<int>(steps_.size()); }

  /// Buffers are numbered in order.
  void add_buffer() { lifetimes_.emplace_back(); }
  void use(int buffer, int step) { lifetimes_[static_cast<std::size_t>(buffer)].use(step); }
  /// In use before the first step, and after the last.
  void use_before(int buffer) { use(buffer, -1); }
  void use_after(int buffer) { use(buffer, size()); }
  /// Buffers that change places: all are in use as long as one is.
  void unite(const std::vector<int>& buffers);

  /// When each buffer is in use. What a loop uses, and somebody before or after it, is in use all along; so
  /// nothing is taken in a loop that is not given back in it.
  const std::vector<Lifetime>& settle_lifetimes();

  /// The steps as nodes, with Allocate before a buffer's first use and Free after its last. Takes the steps.
  std::vector<PlanNode> take_nodes();

 private:
  std::vector<int> buffers_by(int Lifetime::*step) const;

  std::vector<PlanNode> steps_;
  /// By buffer.
  std::vector<Lifetime> lifetimes_;
  /// The steps at which loops begin and end: inner ones before outer ones.
  std::vector<std::pair<int, int>> loops_;
  /// Where loops began that have not ended yet.
  std::vector<int> open_loops_;
};

}  // namespace tessera
