// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/deck/schema.hpp"

namespace tessera::deck {

/// The keys of a deck for people: by group, aligned, with what they expect, ranges, units and defaults.
std::string help_text(const Schema& schema);

}  // namespace tessera::deck
