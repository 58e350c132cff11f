// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/checkpoint_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

constexpr const char* checkpoint_group = "Checkpoints";
constexpr double longest = 1e9;

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

/// Returns the first line of `some` that is not in `others`, or null if all lines are in `others`.
const std::string* first_missing(const std::set<std::string>& some, const std::set<std::string>& others) {
  const auto missing =
      std::ranges::find_if(some, [&](const std::string& line) { return !others.contains(line); });
  return missing == some.end() ? nullptr : &*missing;
}

}  // namespace

void declare_checkpoint_keys(deck::Schema& schema) {
  using deck::ValueType;
  schema.add({.name = "checkpoint.directory",
              .type = ValueType::path,
              .group = checkpoint_group,
              .help = "A folder for the run's checkpoints, of which it keeps the last two; with it, SIGTERM "
                      "and SIGUSR1 end a run with a checkpoint and status 4"});
  schema.add({.name = "checkpoint.every",
              .type = ValueType::integer,
              .group = checkpoint_group,
              .help = "Turns of a loop from one checkpoint to the next",
              .minimum = 1});
  schema.add({.name = "checkpoint.interval",
              .type = ValueType::real,
              .group = checkpoint_group,
              .help = "Time from one checkpoint to the next; without it 600, or none with checkpoint.every",
              .unit = "s",
              .minimum = 0.001,
              .maximum = longest});
  schema.add({.name = "wall_limit",
              .type = ValueType::real,
              .group = checkpoint_group,
              .help = "The run writes a checkpoint and ends, with status 4, before it has run for so long",
              .unit = "s",
              .minimum = 0.001,
              .maximum = longest});
  schema.add({.name = "restart",
              .type = ValueType::path,
              .group = checkpoint_group,
              .help = "A checkpoint to go on with, or a folder of them: the newest that is not damaged; with "
                      "none in it the run begins at its beginning"});
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

std::string problem_text(const PipelineApplication& application, const deck::Deck& deck) {
  const auto is_own = [&](const std::string& name) {
    const auto has_name = [&](const deck::KeyDeclaration& key) { return key.name == name; };
    return std::ranges::any_of(application.parameters, has_name) ||
           std::ranges::any_of(application.first_parameters, has_name);
  };
  const auto is_of_image = [&](const std::string& name) {
    return name.starts_with("input.") ||
           std::ranges::any_of(application.further_images, [&](const FurtherImage& image) {
             return name.starts_with(image.keys() + ".");
           });
  };
  return problem_text(
      deck, [&](const std::string& name) { return is_own(name) || is_of_image(name); },
      application.turn_limits);
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

void check_same_problem(const std::string& checkpoint, const std::string& then, const std::string& now) {
  const std::set<std::string> old_lines = lines_of(then), new_lines = lines_of(now);
  const std::string* before = first_missing(old_lines, new_lines);
  const std::string* after = first_missing(new_lines, old_lines);
  if (before == nullptr && after == nullptr) return;
  throw InputError(
      fmt::format("restart: {}: is of another problem: its run had '{}', this one has '{}'; "
                  "give the same, or begin anew without restart",
                  checkpoint, before != nullptr ? *before : "(no such key)",
                  after != nullptr ? *after : "(no such key)"));
}

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
