// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tessera/deck/schema.hpp"

namespace tessera::deck {

/// Returns a description of all keys for the users of a program, in groups and aligned. For each key it has
/// the values that the key accepts, with range, unit and default.
std::string help_text(const Schema& schema);

/// Returns a text with line breaks at blanks, so that it fits a terminal if its first line begins in the
/// column `indent`. All lines after the first are indented by that.
std::string wrapped(std::string_view text, std::size_t indent);

}  // namespace tessera::deck
