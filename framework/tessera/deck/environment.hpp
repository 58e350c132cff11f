// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tessera::deck {

/// Values of environment variables, by name.
using Environment = std::map<std::string, std::string, std::less<>>;

/// What this process has of the variables that a text names as `${NAME}`.
Environment environment_of(std::string_view text);

/// A text with values where it had names; or, if `fault` is not empty, what is wrong with it.
struct ExpandedText {
  std::string text;
  std::string fault;
};

/// Puts values for `${NAME}`; a `$` without a brace is one. The text that comes of it has no `${`.
ExpandedText expand(std::string_view text, const Environment& environment);

}  // namespace tessera::deck
