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

/// Returns `text` with the value of the variable NAME in place of each `${NAME}`; a `$` that no `{` follows
/// is kept. Throws InputError if a name is malformed, if a variable is not in `environment`, if its value is
/// not a single line of UTF-8 text, or if the result contains a `${` that the inserted values have formed.
std::string expand(std::string_view text, const Environment& environment);

}  // namespace tessera::deck
