// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera::app {

/// The one progress line: rewritten in place on a terminal, plain lines in a log, nothing when quiet or on
/// ranks other than 0.
class Progress {
 public:
  Progress(int rank, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Step `index` of `count` begins.
  void step(int index, int count, const std::string& what);

  /// A band begins.
  void band(const Band& band, int passes);

  /// Turns of a loop end so often that few are shown: some a second on a terminal, one in ten seconds in a
  /// log.
  void turn(const std::function<std::string()>& text);

  /// A line of its own, which stays.
  void line(const std::string& text);

 private:
  /// On a terminal the next one takes its place.
  void show(const std::string& text);
  void clear();

  bool shown_;
  bool terminal_;
  bool pending_ = false;
  std::chrono::steady_clock::time_point last_turn_ = std::chrono::steady_clock::now();
};

/// How many steps under a node are told one by one: all but those of loops.
int steps_outside_loops(const PlanNode& node);

}  // namespace tessera::app
