// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>

#include "chain.hpp"
#include "tessera/deck/value.hpp"

namespace chain {

/// Reads a loop with its steps, which are not ordered yet. `known_names` are the names of all steps and
/// inputs of the deck. Throws InputError if the loop is faulty.
Step read_loop(const tessera::deck::Tree& name, const tessera::deck::Tree& body,
               const std::set<std::string>& known_names);

/// Returns the loop with its steps in order. They may read the iterate and `others`. Throws InputError as
/// ordered() does, and if `next` or `until` name something that the loop does not compute.
Step with_ordered_loop(const Step& step, const std::vector<std::string>& others);

}  // namespace chain
