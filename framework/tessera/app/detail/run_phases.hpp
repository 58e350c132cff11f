// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <vector>

namespace tessera::app {

/// The phases of a run besides the steps of its plan. Before the steps, a run starts MPI and Kokkos and
/// reads the deck (start), opens its files (open), makes its plans (plan), and allocates and touches its
/// memory (allocate). After the steps, it waits for ranks that are still busy and collects the records of
/// all ranks (finish).
enum class Phase { start, open, plan, allocate, finish };

/// All phases, in the order of the enumeration.
inline constexpr std::array all_phases = {Phase::start, Phase::open, Phase::plan, Phase::allocate,
                                          Phase::finish};

/// Returns the name of a phase: "start", "open", "plan", "allocate" or "finish".
const char* name_of(Phase phase);

/// Returns the number of a phase in reports and traces. The number is negative, so that it differs from the
/// node ids of all steps.
constexpr int node_of(Phase phase) { return static_cast<int>(phase) - static_cast<int>(all_phases.size()); }

/// The times of the phases of a run on one rank. A phase ends when the next phase begins or when end() is
/// called. A phase may begin several times.
class RunPhases {
 public:
  using Clock = std::chrono::steady_clock;

  /// A time during which a phase was under way.
  struct Span {
    Phase phase = Phase::start;
    Clock::time_point begin;
    Clock::time_point end;
  };

  /// Records that the phase `start` is under way. `began` is the time at which the program and this phase
  /// began.
  explicit RunPhases(Clock::time_point began) : began_(began), current_{Phase::start, began, began} {}

  /// Ends the phase that is under way, if there is one, and begins `phase`.
  void begin(Phase phase);
  /// Ends the phase that is under way, if there is one, without beginning another phase.
  void end();

  /// The time at which the program began.
  Clock::time_point began() const { return began_; }
  /// The spans of all phases that have ended, in the order of time.
  const std::vector<Span>& spans() const { return spans_; }

 private:
  Clock::time_point began_;
  Span current_;
  bool is_under_way_ = true;
  std::vector<Span> spans_;
};

}  // namespace tessera::app
