// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/checkpoint_decisions.hpp"

#include <algorithm>

namespace tessera::app {
namespace {

constexpr double seconds_between_checks = 0.25;
/// The assumed time from the end of the last checkpoint to the end of the run.
constexpr double seconds_to_end = 0.5;

double seconds(CheckpointDecisions::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

CheckpointDecisions::CheckpointDecisions(MPI_Comm communicator, const CheckpointSettings& settings,
                                         Clock::time_point began, double write_seconds)
    : communicator_(communicator),
      settings_(settings),
      began_(began),
      write_seconds_(write_seconds),
      last_write_(Clock::now()) {
  MPI_Comm_rank(communicator, &rank_);
}

void CheckpointDecisions::begin(std::int64_t turns) {
  last_turns_ = checked_turns_ = turns;
  last_check_ = Clock::now();
  period_ = 1;
}

bool CheckpointDecisions::is_due_by_turns(std::int64_t turns) const {
  return settings_.every > 0 && turns / settings_.every > last_turns_ / settings_.every;
}

bool CheckpointDecisions::is_due_by_time(Clock::time_point now) const {
  return settings_.interval > 0 && seconds(now - last_write_) >= settings_.interval;
}

bool CheckpointDecisions::is_out_of_time(Clock::time_point now, double seconds_to_next) const {
  return settings_.wall_limit > 0 &&
         seconds(now - began_) + seconds_to_next + write_seconds_ + seconds_to_end >= settings_.wall_limit;
}

CheckpointDecisions::Decision CheckpointDecisions::decide(std::int64_t turns) {
  Decision decision{.writes = is_due_by_turns(turns)};
  last_turns_ = turns;
  if (turns - checked_turns_ < period_) return decision;
  const Clock::time_point now = Clock::now();
  const double elapsed = std::max(seconds(now - last_check_), 1e-9);
  // The period is at most twice the number of turns that were timed, because the first turns may be faster
  // than later ones.
  const double per_turn = elapsed / static_cast<double>(turns - checked_turns_);
  const auto period = static_cast<std::int64_t>(
      std::clamp(seconds_between_checks / per_turn, 1.0, 2.0 * static_cast<double>(turns - checked_turns_)));
  std::int64_t agreed[] = {0, signals_.received(), 0, 0};
  if (rank_ == 0) {
    agreed[0] = is_due_by_time(now) ? 1 : 0;
    agreed[2] = is_out_of_time(now, 1.5 * per_turn * static_cast<double>(period)) ? 1 : 0;
    agreed[3] = period;
  }
  MPI_Allreduce(MPI_IN_PLACE, agreed, 4, MPI_INT64_T, MPI_MAX, communicator_);
  decision.signal = static_cast<int>(agreed[1]);
  if (decision.signal != 0) signals_.accept();
  decision.is_out_of_time = agreed[2] != 0;
  decision.writes = decision.writes || agreed[0] != 0 || decision.ends();
  period_ = agreed[3];
  checked_turns_ = turns;
  last_check_ = now;
  return decision;
}

void CheckpointDecisions::wrote(double seconds) {
  write_seconds_ = std::max(2 * seconds, write_seconds_ / 2);
  last_write_ = last_check_ = Clock::now();
}

}  // namespace tessera::app
