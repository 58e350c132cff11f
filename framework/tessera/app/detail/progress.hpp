// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera::app {

/// Prints the progress of a run on standard output. On a terminal, a line about a step, a band or a turn is
/// replaced by the next line. If standard output is not a terminal, all lines are kept. Only rank 0 prints.
class Progress {
 public:
  /// Makes the progress output of this rank. `quiet` says whether nothing is printed.
  Progress(int rank, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows that step `index` of `count` steps begins. `what` names the step.
  void step(int index, int count, const std::string& what);

  /// Shows that a band begins. `passes` is the number of passes over all bands.
  void band(const Band& band, int passes);

  /// Shows a text about a turn of a loop. Shows nothing if the last turn was shown less than 0.2 s ago, or
  /// less than 10 s ago if standard output is not a terminal. `text` is called only if its result is shown.
  void turn(const std::function<std::string()>& text);

  /// Prints a line that later lines do not replace.
  void line(const std::string& text);

 private:
  /// Prints a text as a line. On a terminal, the next text or line replaces it.
  void show(const std::string& text);
  void clear();

  bool shown_;
  bool terminal_;
  bool pending_ = false;
  std::chrono::steady_clock::time_point last_turn_ = std::chrono::steady_clock::now();
};

/// Returns the number of steps in a node and in all nodes below it. Steps in loops are not counted. The
/// progress of a run shows each of the counted steps.
int steps_outside_loops(const PlanNode& node);

}  // namespace tessera::app
