// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "chain.hpp"
#include "tessera/deck/value.hpp"

namespace chain {

/// Returns the value of a parameter as the deck gives it. Whether the value is permitted is checked when the
/// operator is applied. Throws InputError if the value has not the form of the parameter. `step` is the name
/// of the step, for messages.
tessera::operators::ParameterValue read_value(const tessera::operators::Parameter& parameter,
                                              const tessera::deck::Tree& tree, const std::string& step);

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
