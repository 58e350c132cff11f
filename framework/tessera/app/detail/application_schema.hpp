// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/schedule_keys.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// Declares the keys that all programs have. `memory` is the help of the key `memory`, which is not declared
/// if this text is empty.
void declare_common_keys(deck::Schema& schema, const std::string& memory = {});

/// Returns the schema with all keys of an application's decks. `names` are the names that the deck may
/// schedule; null if they are not known yet.
deck::Schema make_schema(const PipelineApplication& application, const ScheduleNames* names = nullptr);

/// Returns whether a deck divides the pipeline into tasks on groups of ranks. It does so if it names groups,
/// an allocation other than `whole`, or a file for the measured seconds of tasks.
bool is_program(const deck::Deck& deck);

/// Throws InputError if a deck or the command line asks for something that programs of tasks do not have,
/// such as bands.
void check_program_keys(const PipelineApplication& application, const deck::Deck& deck,
                        const Options& options);

/// Throws InputError if a deck asks for something that series on groups of ranks do not have, such as pairs
/// of frames, the workers of tasks of other series, or the measuring of tasks.
void check_stream_keys(const PipelineApplication& application, const deck::Deck& deck);

}  // namespace tessera::app
