// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/deck/schema.hpp"

namespace tessera::deck {

/// Returns a description of all keys for the users of a program, in groups and aligned. For each key it has
/// the values that the key accepts, with range, unit and default.
std::string help_text(const Schema& schema);

}  // namespace tessera::deck
