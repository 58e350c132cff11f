// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/deck/deck.hpp"

namespace tessera::deck {

/// Returns the deck in effect as YAML that loads to the same values: defaults and overrides are included, and
/// patterns are resolved. Optional keys that were not given are left out.
std::string print(const Deck& deck);

}  // namespace tessera::deck
