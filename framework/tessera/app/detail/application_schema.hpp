// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/schedule_keys.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// Declares the keys that all programs have: `threads`, `watchdog`, and `memory`, unless its help `memory` is
/// empty.
void declare_common_keys(deck::Schema& schema, const std::string& memory = {});

/// Returns the schema with all keys of an application's decks. `names` are the names that the deck may
/// schedule; they follow later if it is null.
deck::Schema make_schema(const PipelineApplication& application, const ScheduleNames* names = nullptr);

}  // namespace tessera::app
