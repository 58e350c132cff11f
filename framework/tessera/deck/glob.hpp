// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tessera::deck {

/// Does the whole name match the pattern? `*` is any letters, `?` is one, `[3-9a]` one of a set, `[!a]` one
/// not of it. Time is at most proportional to the product of the lengths.
bool glob_matches(std::string_view pattern, std::string_view name);

/// What is wrong with the pattern itself (a set without end, a range that runs backwards), or an empty
/// string.
std::string glob_fault(std::string_view pattern);

/// The pattern without its wildcards, a set replaced by its first letter: what it looks most like.
std::string glob_skeleton(std::string_view pattern);

}  // namespace tessera::deck
