// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tessera/deck/detail/text.hpp"

namespace tessera::deck {
namespace {

constexpr std::size_t line_width = 110;

std::vector<std::string> groups_of(const Schema& schema) {
  std::vector<std::string> groups;
  for (const KeyDeclaration& key : schema.declarations())
    if (std::find(groups.begin(), groups.end(), key.group) == groups.end()) groups.push_back(key.group);
  return groups;
}

std::size_t name_width(const Schema& schema) {
  std::size_t width = 0;
  for (const KeyDeclaration& key : schema.declarations()) width = std::max(width, key.name.size());
  return width;
}

std::string value_text(const KeyDeclaration& key) {
  std::string text = describe(key);
  if (!key.only.empty()) text = fmt::format("for {}: {}", detail::joined(key.only), text);
  if (key.required) return text + "; required";
  return text + (key.default_text ? fmt::format("; default {}", *key.default_text) : "; optional");
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent) {
  const std::size_t width = line_width - std::min(indent, line_width / 2);
  std::string lines;
  while (text.size() > width) {
    const std::size_t blank = text.rfind(' ', width);
    if (blank == std::string_view::npos) break;
    lines += fmt::format("{}\n{:{}}", text.substr(0, blank), "", indent);
    text.remove_prefix(blank + 1);
  }
  return lines + std::string(text);
}

std::string help_text(const Schema& schema) {
  const std::size_t width = name_width(schema), indent = width + 4;
  std::string text = "Keys of the deck; on the command line: key=value\n";
  for (const std::string& group : groups_of(schema)) {
    text += group.empty() ? "\n" : fmt::format("\n{}:\n", group);
    for (const KeyDeclaration& key : schema.declarations()) {
      if (key.group != group) continue;
      text += fmt::format("  {:{}}  ", key.name, width);
      if (!key.help.empty()) text += fmt::format("{}\n{:{}}", wrapped(key.help, indent), "", indent);
      text += wrapped(value_text(key), indent) + "\n";
    }
  }
  return text;
}

}  // namespace tessera::deck
