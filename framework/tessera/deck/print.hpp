// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/deck/deck.hpp"

namespace tessera::deck {

/// The deck in effect, defaults and overrides included and patterns resolved, as YAML that loads to the same
/// values. Optional keys that were not given are left out.
std::string print(const Deck& deck);

}  // namespace tessera::deck
