// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera::app {

/// The progress line of a run. On a terminal it is rewritten in place, and in a log each state is a line. It
/// prints nothing when it is quiet, and on ranks other than 0.
class Progress {
 public:
  /// Makes the progress line of this rank.
  Progress(int rank, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows that step `index` of `count` begins.
  void step(int index, int count, const std::string& what);

  /// Shows that a band begins.
  void band(const Band& band, int passes);

  /// Shows the text about a turn of a loop, unless the last one was shown less than 0.2 s ago on a terminal,
  /// or 10 s ago in a log. The text is only made if it is shown.
  void turn(const std::function<std::string()>& text);

  /// Prints a line that stays.
  void line(const std::string& text);

 private:
  /// Prints a text, whose place the next one takes on a terminal.
  void show(const std::string& text);
  void clear();

  bool shown_;
  bool terminal_;
  bool pending_ = false;
  std::chrono::steady_clock::time_point last_turn_ = std::chrono::steady_clock::now();
};

/// Returns the number of steps of a node and all nodes below it, without those in loops. These are shown one
/// by one.
int steps_outside_loops(const PlanNode& node);

}  // namespace tessera::app
