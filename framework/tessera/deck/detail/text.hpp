// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::deck::detail {

/// On one line: control characters are escaped.
std::string printable(std::string_view text);

/// Printable, and cut to a length that fits a message.
std::string shortened(std::string_view text);

/// Comma-separated, with the end left out where there are many.
std::string joined(const std::vector<std::string>& words);

/// The index of the first byte that is not UTF-8 text (a control character other than tab and line ends, or a
/// malformed sequence), or npos.
std::size_t find_non_text(std::string_view text);

/// `a` and `b` with a dot between them; just `b` if `a` is empty.
std::string dotted(std::string_view a, std::string_view b);

/// The components of a dotted name.
std::vector<std::string> split(std::string_view name);

/// Throws InputError: "location: message".
[[noreturn]] void fail_at(const std::string& location, const std::string& message);

}  // namespace tessera::deck::detail
