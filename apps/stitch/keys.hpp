// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"

namespace stitch {

/// Returns the declarations of the keys of tessera-stitch.
std::vector<tessera::deck::KeyDeclaration> keys();

/// Returns the element of an enumeration whose name the deck gives for `key`. `names` are those of all
/// elements, in their order.
template <class Enumeration, std::size_t N>
Enumeration choice_of(const tessera::deck::Deck& deck, const char* key, const std::string_view (&names)[N]) {
  return static_cast<Enumeration>(std::ranges::find(names, deck.text_of(key)) - std::begin(names));
}

/// Returns whether the deck allows tiles to be missing.
inline bool skips_missing(const tessera::deck::Deck& deck) { return deck.text_of("missing") == "skip"; }

/// Returns the number that the deck gives for `key`, or nothing if it gives none.
inline std::optional<int> number_of(const tessera::deck::Deck& deck, const char* key) {
  return deck.is_set(key) ? std::optional(static_cast<int>(deck.get<std::int64_t>(key))) : std::nullopt;
}

}  // namespace stitch
