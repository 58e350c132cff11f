// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Returns a count and its noun, with an "s" unless the count is 1: "1 rank", "2 ranks".
std::string counted(std::int64_t count, std::string_view noun);

/// Returns a number of bytes as a text with a unit, such as "12.5 MiB" or "100 bytes". The unit is the
/// largest one in which the number is at least 1, from bytes to TiB. The text has one decimal place unless
/// the unit is bytes.
std::string human_bytes(std::int64_t bytes);

/// Returns the candidate that is most similar to a mistyped word, by the least number of letters that are
/// inserted, removed, replaced, or swapped with their neighbours. Capital and small letters count as equal.
/// If several are equally similar, it is the first of them. Returns nothing when no candidate is similar.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Returns the text "; did you mean 'X'?", where X is the candidate that `nearest` finds, or an empty text
/// when `nearest` finds none.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// Returns a text in quotation marks, as Graphviz reads names and labels. Quotation marks and backslashes in
/// the text get a backslash in front.
std::string dot_quoted(std::string_view text);

/// Returns `text` with the special characters &, <, > and " written as entities of XML.
std::string xml_escaped(std::string_view text);

}  // namespace tessera
