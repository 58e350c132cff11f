// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tessera::deck {

/// Returns true when the whole name matches the pattern, in which `*` stands for any number of characters,
/// `?` for one, `[3-9a]` for one of a set, and `[!a]` for one that is not of the set. The cost is at most
/// proportional to the product of the lengths.
bool glob_matches(std::string_view pattern, std::string_view name);

/// Returns the fault of the pattern itself, such as a set without an end or a range that runs backwards, or
/// an empty text.
std::string glob_fault(std::string_view pattern);

/// Returns the pattern without its wildcards, with each set replaced by its first character. It is compared
/// with names to suggest one.
std::string glob_skeleton(std::string_view pattern);

}  // namespace tessera::deck
