// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/graph/place.hpp"

namespace tessera::graph {

/// The order in which a body that keeps state sees its items.
enum class Order : std::uint8_t {
  unsaid,   ///< The order is not said. Keepers must say it.
  arrival,  ///< Items come as they become ready, so that the order may differ from run to run.
  stamp     ///< Items come in the order of their stamps, and items of one stamp in the order of the inputs.
};

/// What happens when a body throws an exception.
enum class OnError : std::uint8_t {
  stop,  ///< The run ends, and Run::wait throws the exception.
  skip   ///< The item of the source is dropped with all that this call has emitted, and the report lists it.
         ///< The run goes on.
};

/// The options of a task. Places and workers do not change results, and Order::arrival may.
struct Task {
  /// The place where bodies run.
  Place on = Place::threads();
  /// The largest number of bodies that run at the same time. 0 means as many as the place has threads.
  /// Sources, keepers and tasks with Order::stamp always have one.
  int workers = 0;
  /// The order in which the body sees items. Keepers must say it.
  Order order = Order::unsaid;
  /// For bodies that emit through Out: whether they emit at most one item at each output for each call.
  /// Only then may ordered tasks, or tasks with several inputs, read the outputs.
  bool single = false;
  /// What happens when a body throws an exception.
  OnError on_error = OnError::stop;
  /// For loops and feedback: the largest number of turns that an item may take.
  std::int64_t most = 0;
  /// For sources: the rank on which the source runs, or `every_rank`. Other tasks run where their items are.
  int rank = 0;

  /// The value of `rank` of a source that runs on all ranks. Its ordinals count the items of each rank.
  static constexpr int every_rank = -1;
};

}  // namespace tessera::graph
