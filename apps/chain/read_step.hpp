// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include "chain.hpp"
#include "tessera/deck/value.hpp"

namespace chain {

/// The word with which a step says that it is an expression.
inline constexpr const char* expression_word = "expression";

/// Reads a step whose name is `name`, and whose operator, inputs and parameters are `body`. Throws InputError
/// if these are faulty. `known_names` are the names of all steps and inputs of the deck: messages
/// suggest the most similar one. Whether what the step reads exists, and fits its operator, is not checked.
Step read_step(const tessera::deck::Tree& name, const tessera::deck::Tree& body,
               const std::set<std::string>& known_names);

/// Reads the steps of a block in their order in the deck. `what` is what messages call the block, and
/// `known_names` is as above.
std::vector<Step> read_steps(const tessera::deck::Tree& block, const std::string& what,
                             const std::set<std::string>& known_names);

/// Throws InputError unless expressions can name a step `name`. `what` says what the name is for.
void check_name(const tessera::deck::Tree& name, const std::string& what);

/// Returns the element type with the name that `tree` has. Throws InputError if it is not uint8, uint16 or
/// float32. `owner` is what messages begin with, such as "step 'a'".
tessera::ElementType read_type(const tessera::deck::Tree& tree, const std::string& owner);

/// Returns a whole number that is at least 1. `name` is what messages call it. Throws InputError if `tree` is
/// none. `owner` is as above.
std::int64_t read_count(const tessera::deck::Tree& tree, const std::string& owner, const std::string& name);

/// Returns the names that `tree` has: one, or a list of them. Throws InputError if there are none. `owner` is
/// as above.
std::vector<Operand> read_operands(const tessera::deck::Tree& tree, const std::string& owner,
                                   const std::string& key);

}  // namespace chain
