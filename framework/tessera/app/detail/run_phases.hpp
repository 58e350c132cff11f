// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <vector>

namespace tessera::app {

/// The phases of a run besides the steps of its plan. Before the steps a run starts MPI and Kokkos and reads
/// the deck (start), opens its files (open), plans (plan), and allocates and touches its memory (allocate).
/// After the steps it waits for ranks that are still busy and collects their records (finish).
enum class Phase { start, open, plan, allocate, finish };

inline constexpr std::array all_phases = {Phase::start, Phase::open, Phase::plan, Phase::allocate,
                                          Phase::finish};

/// Returns the name of a phase: "start", "open", "plan", "allocate" or "finish".
const char* name_of(Phase phase);

/// Returns the negative number that stands for a phase where reports and traces name steps by their node ids.
constexpr int node_of(Phase phase) { return static_cast<int>(phase) - static_cast<int>(all_phases.size()); }

/// The times of the phases of a run on one rank. A phase ends where the next one begins, or with end(), and
/// may begin again later.
class RunPhases {
 public:
  using Clock = std::chrono::steady_clock;

  /// A time during which a phase was under way.
  struct Span {
    Phase phase = Phase::start;
    Clock::time_point begin;
    Clock::time_point end;
  };

  /// Begins with the phase `start`, which began at `began` together with the program.
  explicit RunPhases(Clock::time_point began) : began_(began), current_{Phase::start, began, began} {}

  /// Ends the phase that is under way, if there is one, and begins another.
  void begin(Phase phase);
  /// Ends the phase that is under way, after which steps follow, or nothing.
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
