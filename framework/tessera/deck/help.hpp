// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/deck/schema.hpp"

namespace tessera::deck {

/// Returns a description of the keys for people: by group, aligned, with the values that they expect, and
/// with ranges, units and defaults.
std::string help_text(const Schema& schema);

}  // namespace tessera::deck
