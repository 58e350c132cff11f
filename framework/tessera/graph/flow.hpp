// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::graph {

/// The items of the type T that a task emits. A flow is a small value that refers to its graph by a number.
/// Several tasks may read the same flow, and then share its items.
template <class T>
class Flow {
 public:
  /// Makes a flow that belongs to no graph.
  Flow() = default;
  /// Makes the flow with the number `number`. Only graphs call this.
  explicit Flow(int number) : number_(number) {}
  /// Returns the number of the flow in its graph. It is -1 if the flow belongs to no graph.
  int number() const { return number_; }

 private:
  int number_ = -1;
};

}  // namespace tessera::graph
