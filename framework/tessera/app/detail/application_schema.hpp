// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/schedule_keys.hpp"
#include "tessera/deck/schema.hpp"
#include "tessera/group/cut.hpp"

namespace tessera::app {

/// Declares the keys that all programs have, and `memory`, unless its help `memory` is empty.
void declare_common_keys(deck::Schema& schema, const std::string& memory = {});

/// Returns the schema with all keys of an application's decks. `names` are the names that the deck may
/// schedule; they follow later if it is null.
deck::Schema make_schema(const PipelineApplication& application, const ScheduleNames* names = nullptr);

/// Declares the keys of programs of tasks: `groups` and the block `program`.
void declare_program_keys(deck::Schema& schema);

/// Returns whether a deck divides the pipeline into tasks on groups of ranks. It does so if it names groups,
/// an allocation other than `whole`, or a file for the costs of tasks.
bool is_program(const deck::Deck& deck);

/// Returns the tasks into which a deck, or else the application, divides the pipeline. Throws InputError if
/// there are none, or if the key `groups` is faulty.
std::vector<group::TaskStages> task_stages(const PipelineApplication& application, const deck::Deck& deck,
                                           const Algorithm& pipeline);

/// Throws InputError if a pipeline cannot be divided into tasks because it has loops, or if a deck asks for a
/// profile of tasks, but not for tasks.
void check_tasks(const deck::Deck& deck, const Algorithm& pipeline);

/// Throws InputError if a deck or the command line asks for something that programs of tasks do not have,
/// such as bands.
void check_program_keys(const PipelineApplication& application, const deck::Deck& deck,
                        const Options& options);

/// Throws InputError if a deck has keys that are about tasks, but asks for no tasks.
void check_no_program_keys(const deck::Deck& deck);

/// Throws InputError if a deck asks for something that series on groups of ranks do not have, such as pairs
/// of frames, the workers of tasks of other series, or the measuring of tasks.
void check_stream_keys(const PipelineApplication& application, const deck::Deck& deck);

/// Returns the number of images of which a rank has memory at most in a series on groups of ranks.
int stream_window(const deck::Deck& deck);

}  // namespace tessera::app
