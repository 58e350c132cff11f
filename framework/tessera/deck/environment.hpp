// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tessera::deck {

/// The values of environment variables, by name.
using Environment = std::map<std::string, std::string, std::less<>>;

/// Returns those variables of this process that the text names as `${NAME}`.
Environment environment_of(std::string_view text);

/// A text with values in the places of names, or the reason why it has none.
struct ExpandedText {
  /// The text with values; empty when there is a fault.
  std::string text;
  /// The reason why the text has no values; empty when there is none.
  std::string fault;
};

/// Replaces each `${NAME}` by its value; a `$` without a brace stands for itself. It is a fault when a name
/// is malformed, when a variable has no value or one that is not one line of UTF-8 text, or when the result
/// has another `${`.
ExpandedText expand(std::string_view text, const Environment& environment);

}  // namespace tessera::deck
