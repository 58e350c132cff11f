// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Returns the least number of edits that turn one word into the other. An edit inserts, removes or replaces
/// one letter, or swaps two neighbouring letters. Capital and small letters count as equal. The result is the
/// Damerau-Levenshtein distance in which no letter is edited twice (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the candidate that is most similar to a mistyped word. If several are equally similar, it is the
/// first of them. Returns nothing when no candidate is similar to the word.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Returns the text "; did you mean 'X'?", where X is the candidate that `nearest` finds, or an empty text
/// when `nearest` finds none.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tessera
