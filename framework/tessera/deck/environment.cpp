// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "tessera/deck/detail/text.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::deck {
namespace {

/// Returns whether a word consists of letters, digits and underscores, and does not begin with a digit.
bool is_variable_name(std::string_view word) {
  const auto is_allowed = [](char c) { return detail::is_letter(c) || detail::is_digit(c) || c == '_'; };
  return !word.empty() && !detail::is_digit(word.front()) && std::ranges::all_of(word, is_allowed);
}

/// Returns the name in the `${NAME}` that begins at `begin`, or nothing if no `}` follows.
std::optional<std::string_view> name_at(std::string_view text, std::size_t begin) {
  const std::size_t end = text.find('}', begin);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(begin + 2, end - begin - 2);
}

}  // namespace

Environment environment_of(std::string_view text) {
  Environment environment;
  for (std::size_t begin = text.find("${"); begin != std::string_view::npos;
       begin = text.find("${", begin + 2)) {
    const std::string name(name_at(text, begin).value_or(""));
    const char* value = is_variable_name(name) ? std::getenv(name.c_str()) : nullptr;
    if (value != nullptr) environment.emplace(name, value);
  }
  return environment;
}

std::string expand(std::string_view text, const Environment& environment) {
  std::string expanded;
  std::size_t from = 0;
  for (std::size_t begin = text.find("${"); begin != std::string_view::npos; begin = text.find("${", from)) {
    expanded += text.substr(from, begin - from);
    const std::optional<std::string_view> name = name_at(text, begin);
    if (!name) throw InputError("'${' without '}'");
    const std::string shown = detail::shortened(*name);
    if (!is_variable_name(*name))
      throw InputError(fmt::format("'${{{}}}' names no environment variable", shown));
    const auto found = environment.find(*name);
    if (found == environment.end())
      throw InputError(
          fmt::format("the environment variable '{}' is not set: set it, or write its value", shown));
    if (detail::find_non_text(found->second) != std::string::npos ||
        found->second.find_first_of("\r\n") != std::string::npos)
      throw InputError(
          fmt::format("the value of the environment variable '{}' is not a line of UTF-8 text", shown));
    expanded += found->second;
    from = begin + name->size() + 3;
  }
  expanded += text.substr(from);
  // A printed deck can be used as input again. Its texts must not contain a `${`, which would then be read as
  // the beginning of a name.
  if (from > 0 && expanded.find("${") != std::string::npos)
    throw InputError("the values of its environment variables make up the name of another one");
  return expanded;
}

}  // namespace tessera::deck
