// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/graph_application.hpp"

namespace flow {

/// Returns the declaration of the key `run`, which says how the flow is computed: by one pipeline on all
/// ranks, or by a graph in which several pairs of a series are in different turns at the same time.
tessera::deck::KeyDeclaration run_key();

/// Returns the declarations of the keys of the graph.
std::vector<tessera::deck::KeyDeclaration> graph_keys();

/// Returns whether the words of a command line, or the decks among them, say `run: graph`. Where a deck
/// cannot be read, the program says so, and this function returns false.
bool asks_for_graph(const std::vector<std::string>& words);

/// Returns the description of the program that computes the flow of a series by a graph.
tessera::app::GraphApplication graph_program();

}  // namespace flow
