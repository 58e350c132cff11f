// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tessera::deck {

/// The values of environment variables, by name.
using Environment = std::map<std::string, std::string, std::less<>>;

/// Returns the environment variables of this process that `text` names as `${NAME}`. Variables that are not
/// set are left out.
Environment environment_of(std::string_view text);

/// The result of `expand`: the expanded text, or the reason why the text could not be expanded.
struct ExpandedText {
  /// The expanded text; empty when there is a fault.
  std::string text;
  /// The reason why the text could not be expanded; empty when there is no fault.
  std::string fault;
};

/// Replaces each `${NAME}` in `text` by the value of the variable NAME; a `$` that no `{` follows is kept. It
/// is a fault if a name is malformed, if a variable is not in `environment`, if its value is not a single
/// line of UTF-8 text, or if the result contains a `${` that the inserted values have formed.
ExpandedText expand(std::string_view text, const Environment& environment);

}  // namespace tessera::deck
