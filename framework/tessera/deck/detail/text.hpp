// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::deck::detail {

/// Returns the text on one line, with control characters escaped.
std::string printable(std::string_view text);

/// Returns the text in printable form (see `printable`), cut to a length that fits a message.
std::string shortened(std::string_view text);

/// Returns the words with commas between them. If there are many words, the last ones are left out.
std::string joined(const std::vector<std::string>& words);

/// Returns whether a list contains an item.
template <class List, class Item>
bool contains(const List& list, const Item& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// Returns whether a character is an English letter or a digit.
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Returns the text with small letters in place of capital ones.
std::string lower_case(std::string_view text);

/// Returns the index of the first byte that is not UTF-8 text, or npos if there is none. Such a byte is a
/// control character other than a tab or a line end, or begins a malformed sequence.
std::size_t find_non_text(std::string_view text);

/// Returns `a` and `b` with a dot between them, or only `b` if `a` is empty.
std::string dotted(std::string_view a, std::string_view b);

/// Returns the components of a name whose components are separated by dots.
std::vector<std::string> split(std::string_view name);

/// Throws InputError with the text "location: message".
[[noreturn]] void fail_at(const std::string& location, const std::string& message);

/// A list of the units of byte sizes, for messages and help texts.
inline constexpr std::string_view size_units =
    "K, M, G, T or KiB, MiB, GiB, TiB: powers of 1024; KB, MB, GB, TB: powers of 1000; or B";

/// Returns the number of bytes that a text such as "64M", "1.5 GiB" or "2 GB" means, rounded down. Upper and
/// lower case are equivalent. Returns nothing if the text is not a size, has no unit, is negative, or does
/// not fit into 64 bits.
std::optional<std::int64_t> parse_byte_size(std::string_view text);

/// Returns a byte size as text in the largest unit in which the size is a whole number, such as "96 MiB".
std::string byte_size_text(std::int64_t bytes);

}  // namespace tessera::deck::detail
