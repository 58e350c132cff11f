// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tessera::deck {

/// Returns true when the whole of `name` matches `pattern`. In a pattern, `*` stands for any number of
/// characters, `?` for one character, `[3-9a]` for one character of the set, and `[!a]` for one character
/// that is not in the set.
bool glob_matches(const std::string& pattern, const std::string& name);

/// Returns the reason why `pattern` is malformed, such as a set without an end or a range that runs
/// backwards. Returns an empty text when `pattern` is well formed.
std::string glob_fault(std::string_view pattern);

/// Returns `pattern` without `*` and `?`, and with each set replaced by its first character. When a pattern
/// matches no name, this text is used to find a similar name for the error message.
std::string glob_skeleton(std::string_view pattern);

}  // namespace tessera::deck
