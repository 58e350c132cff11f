// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "chain.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/key.hpp"

namespace chain {

/// Returns the declarations of the keys that say what a chain is: `steps`, `repeat`, `inputs` and
/// `output.step`.
std::vector<tessera::deck::KeyDeclaration> chain_keys();

/// Reads the chain of a deck that has the keys of chain_keys(). Throws InputError, which tells the place in
/// the deck and the step, if an operator or a parameter does not exist, if a step reads something that does
/// not exist, if steps read each other in a cycle, or if an expression has an error.
Chain read_chain(const tessera::deck::Deck& deck);

}  // namespace chain
