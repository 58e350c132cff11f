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

/// Reads a step whose name is `name`, and whose operator, operands and parameters are `body`. Throws
/// InputError if these are faulty. `known_names` are the names of all steps and inputs of the deck: messages
/// suggest the most similar one. Whether the operands exist and fit the operator is not checked.
Step read_step(const tessera::deck::Tree& name, const tessera::deck::Tree& body,
               const std::set<std::string>& known_names);

/// Reads the steps of a block in their order in the deck. Messages call the block `what`. `known_names` is as
/// in read_step.
std::vector<Step> read_steps(const tessera::deck::Tree& block, const std::string& what,
                             const std::set<std::string>& known_names);

/// Throws InputError if `name` cannot be a name in expressions. `what` says what has the name, as in "a
/// step".
void check_name(const tessera::deck::Tree& name, const std::string& what);

/// Returns the element type with the name that `tree` has. Throws InputError if it is not uint8, uint16 or
/// float32. Messages begin with `owner`, such as "step 'a'".
tessera::ElementType read_type(const tessera::deck::Tree& tree, const std::string& owner);

/// Returns the number in `tree`. Throws InputError unless it is a whole number of at least 1. Messages call
/// it `name`, and begin with `owner`.
std::int64_t read_count(const tessera::deck::Tree& tree, const std::string& owner, const std::string& name);

/// Returns the names in `tree`, which is the value of `key`: one name, or a list of names. Throws InputError
/// if it has no names. Messages begin with `owner`.
std::vector<Operand> read_operands(const tessera::deck::Tree& tree, const std::string& owner,
                                   const std::string& key);

}  // namespace chain
