// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// The settings in a deck about the checkpoints that a run writes, and about the checkpoint from which the
/// run goes on.
struct CheckpointSettings {
  /// The directory for the checkpoints that the run writes. If it is empty, the run writes no checkpoints.
  std::string directory;
  /// The number of turns from one checkpoint to the next. If it is 0, checkpoints do not depend on the number
  /// of turns.
  std::int64_t every = 0;
  /// The seconds from one checkpoint to the next. If it is 0, checkpoints do not depend on the time.
  double interval = 0;
  /// The wall limit: the time in seconds that the run may take at most. The run writes a checkpoint and ends
  /// before this time is over. If it is 0, there is no limit.
  double wall_limit = 0;
  /// The path of the checkpoint from which the run goes on, or of a directory of checkpoints. If it is empty,
  /// the run does not go on from a checkpoint.
  std::string restart;
};

/// Declares the keys about checkpoints. Only programs with loops have these keys.
void declare_checkpoint_keys(deck::Schema& schema);

/// Returns the settings in a deck, or default settings if the program does not have the keys. Throws
/// InputError if a key is given that needs `checkpoint.directory`, and `checkpoint.directory` is not given.
CheckpointSettings checkpoint_settings(const deck::Deck& deck);

/// Returns a text that identifies the problem that a run computes. It has a line "key: value" for each key
/// that can change the values that the loops compute: the program's own keys and the keys of its inputs. For
/// a key that only limits the number of turns, the line says whether the key is given, in place of its value.
std::string problem_text(const PipelineApplication& application, const deck::Deck& deck);
/// Returns such a text with a line for each key of which `is_part` says so. `turn_limits` are the names of
/// those keys that only limit the number of turns.
std::string problem_text(const deck::Deck& deck, const std::function<bool(const std::string&)>& is_part,
                         const std::vector<std::string>& turn_limits);

/// Throws InputError if `then` and `now` differ. `then` is the result of problem_text in the run that wrote
/// `checkpoint`, and `now` is its result in this run. The message shows a line of each text that the other
/// text lacks. The order of the lines does not matter.
void check_same_problem(const std::string& checkpoint, const std::string& then, const std::string& now);

}  // namespace tessera::app
