// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/deck/detail/yaml_reader.hpp"

namespace tessera::deck::detail {

/// The key with which a deck names the decks that it includes.
inline constexpr const char* include_key = "include";

/// Returns the paths that the key `include` of a deck gives. The list is empty if the deck has no such key.
/// Throws InputError if the value of the key is neither a path nor a list of paths.
std::vector<Node> included(const Node& root, const Origin& origin);

}  // namespace tessera::deck::detail
