// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/graph/settings.hpp"

namespace tessera::app {

/// Returns the settings of a graph that a deck gives by the keys `graph.window`, `graph.<task>.workers`,
/// `graph.<task>.on` and `graph.<pool>.count`, as far as its schema has them.
graph::Settings graph_settings(const deck::Deck& deck, const std::vector<std::string>& tasks,
                               const std::vector<std::string>& pools);

}  // namespace tessera::app
