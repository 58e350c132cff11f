// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/schedule_keys.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// Returns the key `threads`, which all programs have.
deck::KeyDeclaration threads_key();

/// Returns the schema with all keys of an application's decks. `names` are the names that the deck may
/// schedule; they follow later if it is null.
deck::Schema make_schema(const PipelineApplication& application, const ScheduleNames* names = nullptr);

}  // namespace tessera::app
