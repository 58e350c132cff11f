// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/deck/detail/yaml_reader.hpp"

namespace tessera::deck::detail {

/// The key of a deck that names others.
inline constexpr const char* include_key = "include";

/// The names of files at the key `include` of a deck, at most one path or a list of them. InputError at what
/// is something else.
std::vector<Node> included(const Node& root, const Origin& origin);

}  // namespace tessera::deck::detail
