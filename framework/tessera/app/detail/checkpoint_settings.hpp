// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// The settings of a deck about the checkpoints that a run writes, and the one from which it goes on.
struct CheckpointSettings {
  /// The directory in which checkpoints are written; empty: none are written.
  std::string directory;
  /// The number of turns from one checkpoint to the next; 0: turns do not count.
  std::int64_t every = 0;
  /// The seconds from one checkpoint to the next; 0: time does not count.
  double interval = 0;
  /// The seconds before whose end the run writes a checkpoint and ends; 0: there is no limit.
  double wall_limit = 0;
  /// The checkpoint to go on from, or a directory of checkpoints; empty: the run begins at its beginning.
  std::string restart;
};

/// Declares the keys about checkpoints, which programs with loops have.
void declare_checkpoint_keys(deck::Schema& schema);

/// Returns the settings of a deck; those of a program without the keys are empty. Throws InputError when a
/// key needs `checkpoint.directory`, which is not given.
CheckpointSettings checkpoint_settings(const deck::Deck& deck);

/// Returns a line "key: value" for each key on which the iterates of the program's loops depend, which are
/// the program's own keys and those of its inputs. For keys that only limit the number of turns the line says
/// whether they are given.
std::string problem_text(const PipelineApplication& application, const deck::Deck& deck);

/// Throws InputError about the first line in which `then`, the problem_text of the run that wrote
/// `checkpoint`, differs from `now`, that of this run. The order of the lines does not matter.
void check_same_problem(const std::string& checkpoint, const std::string& then, const std::string& now);

}  // namespace tessera::app
