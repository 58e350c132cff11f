// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <vector>

namespace tessera::app {

/// What a run does besides the steps of its plan. Before them it starts MPI and Kokkos and reads the deck,
/// opens its files, plans, and allocates and touches its memory; after them it waits for the ranks that are
/// still busy, and collects what they say.
enum class Phase { start, open, plan, allocate, finish };

inline constexpr std::array all_phases = {Phase::start, Phase::open, Phase::plan, Phase::allocate,
                                          Phase::finish};

/// "start", "open", "plan", "allocate" or "finish".
const char* name_of(Phase phase);

/// A phase stands in reports and traces like a step of the plan, with a negative number for its node.
constexpr int node_of(Phase phase) { return static_cast<int>(phase) - static_cast<int>(all_phases.size()); }

/// The phases of a run on one rank, one of which may come again. A phase ends where the next one begins, or
/// with end().
class RunPhases {
 public:
  using Clock = std::chrono::steady_clock;

  struct Span {
    Phase phase = Phase::start;
    Clock::time_point begin;
    Clock::time_point end;
  };

  /// The phase `start` began then, with the program.
  explicit RunPhases(Clock::time_point began) : began_(began), current_{Phase::start, began, began} {}

  void begin(Phase phase);
  /// Ends the phase that is under way: steps follow, or nothing.
  void end();

  Clock::time_point began() const { return began_; }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  Clock::time_point began_;
  Span current_;
  bool is_under_way_ = true;
  std::vector<Span> spans_;
};

}  // namespace tessera::app
