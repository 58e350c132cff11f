// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tessera/graph/place.hpp"

namespace tessera::graph {

/// The settings of one task that decks may change.
struct TaskSettings {
  /// The largest number of bodies that run at the same time. If it is not set, it stays as it is.
  std::optional<int> workers = {};
  /// The place where bodies run. If it is not set, it stays as it is.
  std::optional<Place> on = {};
};

/// What decks may change of a graph. None of it changes a result.
struct Settings {
  /// The largest number of items of each source that are under way at the same time. 0 keeps the present
  /// value, which at first is four items for each worker.
  std::int64_t window = 0;
  /// The settings of tasks, by name. A name without an index, such as "fft" for "fft[1]", means the copies
  /// for all places of `replicate`.
  std::map<std::string, TaskSettings> tasks = {};
  /// The number of buffers of pools, by name.
  std::map<std::string, int> pools = {};
};

}  // namespace tessera::graph
