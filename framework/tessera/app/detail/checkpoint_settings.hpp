// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// When a run writes checkpoints, and which one it goes on with.
struct CheckpointSettings {
  /// Where they are written; empty: nowhere.
  std::string directory;
  /// After how many turns, and seconds; 0: not so.
  std::int64_t every = 0;
  double interval = 0;
  /// The run writes one and ends before it has run for so many seconds; 0: it does not.
  double wall_limit = 0;
  /// A checkpoint, or a directory of them; empty: the run begins at its beginning.
  std::string restart;
};

/// Declares the keys of programs that have loops.
void declare_checkpoint_keys(deck::Schema& schema);

/// What a deck says, of any program. Throws InputError when its keys contradict each other.
CheckpointSettings checkpoint_settings(const deck::Deck& deck);

/// A line "key: value" for each key on which the iterates of the program's loops depend: its own and those of
/// its inputs. Of keys that only limit the number of turns it says whether they are given.
std::string problem_text(const PipelineApplication& application, const deck::Deck& deck);

/// Throws InputError about the first line in which the problem of a checkpoint is not that of this run.
void check_same_problem(const std::string& checkpoint, const std::string& then, const std::string& now);

}  // namespace tessera::app
