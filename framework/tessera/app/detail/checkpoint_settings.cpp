// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::app {

void declare_checkpoint_keys(deck::Schema& schema) {
  using deck::ValueType;
  const auto seconds = [](const char* name, const char* help) {
    return deck::KeyDeclaration{
        .name = name, .type = ValueType::real, .help = help, .unit = "s", .minimum = 0.001, .maximum = 1e9};
  };
  schema.add(
      "Checkpoints",
      {{.name = "checkpoint.directory",
        .type = ValueType::path,
        .help = "A folder for the run's checkpoints; the last two are kept. With it, SIGTERM and "
                "SIGUSR1 end a run with a checkpoint and status 4"},
       {.name = "checkpoint.every",
        .type = ValueType::integer,
        .help = "Turns of a loop from one checkpoint to the next",
        .minimum = 1},
       seconds("checkpoint.interval",
               "Time from one checkpoint to the next; without it 600, or none with checkpoint.every"),
       seconds("wall_limit",
               "The run writes a checkpoint and ends, with status 4, before it has run for this time"),
       {.name = "restart",
        .type = ValueType::path,
        .help = "The checkpoint that the run goes on with, or a folder with checkpoints: the newest one that "
                "is not damaged; if the folder has none, the run starts from the beginning"}});
}

CheckpointSettings checkpoint_settings(const deck::Deck& deck) {
  CheckpointSettings settings{.directory = deck.text_of("checkpoint.directory"),
                              .restart = deck.text_of("restart")};
  for (const char* key : {"checkpoint.every", "checkpoint.interval", "wall_limit"})
    if (settings.directory.empty() && deck.is_set(key))
      deck.fail(key, "there is no place for checkpoints: give checkpoint.directory, too");
  if (settings.directory.empty()) return settings;
  if (deck.is_set("checkpoint.every")) settings.every = deck.get<std::int64_t>("checkpoint.every");
  if (deck.is_set("checkpoint.interval"))
    settings.interval = deck.get<double>("checkpoint.interval");
  else if (settings.every == 0)
    settings.interval = 600;
  if (deck.is_set("wall_limit")) settings.wall_limit = deck.get<double>("wall_limit");
  return settings;
}

std::string problem_text(const deck::Deck& deck, const std::function<bool(const std::string&)>& is_part,
                         const std::vector<std::string>& turn_limits) {
  std::string text;
  for (const deck::Schema::Key& key : deck.schema().keys()) {
    if (!is_part(key.name)) continue;
    const deck::Value* value = deck.find(key.name);
    const bool limits_turns = std::ranges::find(turn_limits, key.name) != turn_limits.end();
    text += fmt::format("{}: {}\n", key.name,
                        value == nullptr ? "(not given)"
                        : limits_turns   ? "(given)"
                                         : to_yaml(*value));
  }
  return text;
}

namespace {

constexpr double seconds_between_checks = 0.25;
/// The assumed time from the end of the last checkpoint to the end of the run.
constexpr double seconds_to_end = 0.5;

double seconds(CheckpointDecisions::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

CheckpointDecisions::CheckpointDecisions(const Session& session, const CheckpointSettings& settings,
                                         double write_seconds)
    : session_(session), settings_(settings), write_seconds_(write_seconds) {}

void CheckpointDecisions::begin(std::int64_t turns) {
  last_turns_ = checked_turns_ = turns;
  last_check_ = Clock::now();
  period_ = 1;
}

CheckpointDecisions::Decision CheckpointDecisions::decide(std::int64_t turns) {
  const std::int64_t every = settings_.every;
  Decision decision{.writes = every > 0 && turns / every > last_turns_ / every};
  last_turns_ = turns;
  if (turns - checked_turns_ < period_) return decision;
  const Clock::time_point now = Clock::now();
  const double elapsed = std::max(seconds(now - last_check_), 1e-9);
  // The period is at most twice the number of turns that were timed, because the first turns may be faster
  // than later ones.
  const double per_turn = elapsed / static_cast<double>(turns - checked_turns_);
  const auto period = static_cast<std::int64_t>(
      std::clamp(seconds_between_checks / per_turn, 1.0, 2.0 * static_cast<double>(turns - checked_turns_)));
  // Whether a checkpoint is due, the signal, whether the time is over, and the turns to the next agreement.
  std::int64_t agreed[] = {0, signals_.received(), 0, 0};
  if (session_.rank() == 0) {
    // The time at which the run would end after the next agreement. Turns may take longer than before.
    const double end = seconds(now - session_.began()) + 1.5 * per_turn * static_cast<double>(period) +
                       write_seconds_ + seconds_to_end;
    agreed[0] = settings_.interval > 0 && seconds(now - last_write_) >= settings_.interval ? 1 : 0;
    agreed[2] = settings_.wall_limit > 0 && end >= settings_.wall_limit ? 1 : 0;
    agreed[3] = period;
  }
  MPI_Allreduce(MPI_IN_PLACE, agreed, 4, MPI_INT64_T, MPI_MAX, session_.communicator());
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
  // The estimate is twice the last time, and falls slowly.
  write_seconds_ = std::max(2 * seconds, write_seconds_ / 2);
  last_write_ = last_check_ = Clock::now();
}

}  // namespace tessera::app
