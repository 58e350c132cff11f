// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::deck {

/// Returns how many letters must be inserted, removed, replaced or swapped with their neighbour to turn one
/// word into the other. Capital and small letters count as equal. It is the Damerau-Levenshtein distance in
/// which no letter is edited twice (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the candidate that a mistyped word most likely meant, the first of equal ones, or nothing when
/// none is similar to it.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Returns "; did you mean 'X'?" for the nearest candidate, or an empty text when there is none.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tessera::deck
