// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "chain.hpp"
#include "tessera/deck/tree.hpp"

namespace chain {

/// The word with which a step says that it is an expression.
inline constexpr const char* expression_word = "expression";

/// Reads a step whose name is `name`, and whose operator, inputs and parameters are `body`. Throws InputError
/// if these are faulty. Whether what the step reads exists, and fits its operator, is not checked.
Step read_step(const tessera::deck::Tree& name, const tessera::deck::Tree& body);

/// Reads the steps of a block in their order in the deck. `what` is what messages call the block.
std::vector<Step> read_steps(const tessera::deck::Tree& block, const std::string& what);

/// Throws InputError unless expressions can name a step `name`. `what` says what the name is for.
void check_name(const tessera::deck::Tree& name, const std::string& what);

}  // namespace chain
