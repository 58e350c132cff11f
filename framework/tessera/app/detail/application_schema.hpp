// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/schedule_keys.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// Returns the names that a deck may schedule in the pipelines of an application.
ScheduleNames names_of(const PipelineApplication& application);

/// Returns the key `threads`, which all programs have.
deck::KeyDeclaration threads_key();

/// Returns the schema with all keys of an application's decks.
deck::Schema make_schema(const PipelineApplication& application);

}  // namespace tessera::app
