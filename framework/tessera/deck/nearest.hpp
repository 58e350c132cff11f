// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::deck {

/// How many letters must be inserted, removed, replaced or swapped with their neighbour to turn one word into
/// the other. Capitals count as small letters.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that a mistyped word most likely meant (the first of equals), or nothing if none is at all
/// like it.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'X'?" for the nearest candidate, or an empty string.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tessera::deck
