// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera::app {

/// Returns the seconds from `began` to now.
inline double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Prints the progress of a run on standard output of rank 0. On a terminal, a line about a step, a band or a
/// turn is replaced by the next line.
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

/// The phases of a run besides the steps of its plan. Before them, a run starts MPI and Kokkos and reads the
/// deck, opens its files, makes its plans, and allocates and touches its memory. After them, it waits for
/// ranks that are still busy and collects the records of all ranks.
enum class Phase { start, open, plan, allocate, finish };

/// All phases, in the order of the enumeration.
inline constexpr std::array all_phases = {Phase::start, Phase::open, Phase::plan, Phase::allocate,
                                          Phase::finish};

/// Returns the name of a phase, such as "open".
const char* name_of(Phase phase);

/// Returns the number of a phase in reports and traces, which is negative, unlike the ids of nodes.
constexpr int node_of(Phase phase) { return static_cast<int>(phase) - static_cast<int>(all_phases.size()); }

/// The times of the phases of a run on one rank. A phase may begin several times.
class RunPhases {
 public:
  using Clock = std::chrono::steady_clock;

  /// A time during which a phase was under way.
  struct Span {
    Phase phase = Phase::start;
    Clock::time_point begin;
    Clock::time_point end;
  };

  /// Records that the phase `start` is under way, which began at `began`, as the program did.
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
