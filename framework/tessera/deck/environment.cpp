// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tessera/deck/detail/text.hpp"

namespace tessera::deck {
namespace {

/// Whether a word consists of letters, digits and underscores, and does not begin with a digit.
bool is_variable_name(std::string_view word) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !word.empty() && !is_digit(word.front()) &&
         std::all_of(word.begin(), word.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

/// The next `${NAME}` in a text, with the positions at which it begins and ends. `begin` is npos if there is
/// no further `${`, and `end` is npos if no `}` follows.
struct Mention {
  std::size_t begin;
  std::size_t end;
  std::string_view name;
};

Mention next_mention(std::string_view text, std::size_t from) {
  const std::size_t begin = text.find("${", from);
  if (begin == std::string_view::npos) return {begin, begin, {}};
  const std::size_t close = text.find('}', begin);
  if (close == std::string_view::npos) return {begin, close, {}};
  return {begin, close + 1, text.substr(begin + 2, close - begin - 2)};
}

}  // namespace

Environment environment_of(std::string_view text) {
  Environment environment;
  for (std::size_t from = 0;;) {
    const Mention mention = next_mention(text, from);
    if (mention.begin == std::string_view::npos) return environment;
    from = mention.begin + 2;
    if (!is_variable_name(mention.name)) continue;
    const std::string name(mention.name);
    if (const char* value = std::getenv(name.c_str())) environment.emplace(name, value);
  }
}

ExpandedText expand(std::string_view text, const Environment& environment) {
  ExpandedText expanded;
  const auto fault = [](std::string message) { return ExpandedText{{}, std::move(message)}; };
  for (std::size_t from = 0;;) {
    const Mention mention = next_mention(text, from);
    expanded.text += text.substr(from, mention.begin - from);
    if (mention.begin == std::string_view::npos) {
      // A printed deck can be used as input again. Its texts must not contain a `${`, which would then be
      // read as the beginning of a name.
      return from > 0 && expanded.text.find("${") != std::string::npos
                 ? fault("the values of its environment variables make up the name of another one")
                 : expanded;
    }
    if (mention.end == std::string_view::npos) return fault("'${' without '}'");
    const std::string name = detail::shortened(mention.name);
    if (!is_variable_name(mention.name))
      return fault(fmt::format("'${{{}}}' names no environment variable", name));
    const auto found = environment.find(mention.name);
    if (found == environment.end())
      return fault(fmt::format("the environment variable '{}' is not set: set it, or write its value", name));
    if (detail::find_non_text(found->second) != std::string::npos ||
        found->second.find_first_of("\r\n") != std::string::npos)
      return fault(
          fmt::format("the value of the environment variable '{}' is not a line of UTF-8 text", name));
    expanded.text += found->second;
    from = mention.end;
  }
}

}  // namespace tessera::deck
