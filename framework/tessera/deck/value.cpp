// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tessera/deck/detail/text.hpp"

namespace tessera::deck {
namespace {

using detail::is_digit, detail::is_letter;

/// Returns whether a character means nothing special in words of YAML, in lists and maps, too.
bool is_plain(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-' || c == '+'; }

/// Returns whether YAML readers take a word for something other than text.
bool is_reserved(std::string_view text) {
  static constexpr std::array<std::string_view, 11> words = {"null", "true", "false", "yes", "no", "on",
                                                             "off",  "y",    "n",     "inf", "nan"};
  return detail::contains(words, detail::lower_case(text));
}

std::string escaped(char c) {
  constexpr std::string_view special = "\"\\\n\t\r", letters = "\"\\ntr";
  const std::size_t place = special.find(c);
  return place == std::string_view::npos ? std::string(1, c) : std::string{'\\', letters[place]};
}

std::string list_to_yaml(const std::vector<std::int64_t>& entries) {
  return entries.empty() ? "auto" : fmt::format("[{}]", fmt::join(entries, ", "));
}

struct ToYaml {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const ByteSize& value) const { return detail::byte_size_text(value.bytes); }
  std::string operator()(const std::string& value) const { return to_yaml_text(value); }
  std::string operator()(const std::vector<std::string>& values) const {
    std::vector<std::string> texts;
    for (const std::string& value : values) texts.push_back(to_yaml_text(value));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }
  std::string operator()(const Tree& value) const { return to_yaml(value); }
  std::string operator()(const GridValue& value) const {
    std::string text;
    for (const auto& entry : value.entries) {
      text += text.empty() ? "[" : ", ";
      text += entry ? fmt::format("{}", *entry) : "auto";
    }
    return text + "]";
  }
  std::string operator()(const TileValue& value) const {
    if (value.host == value.device) return list_to_yaml(value.host);
    return fmt::format("{{host: {}, device: {}}}", list_to_yaml(value.host), list_to_yaml(value.device));
  }
};

std::string word_to_yaml(const Tree& word) {
  const bool is_safe = !word.text.empty() && std::ranges::all_of(word.text, is_plain);
  return !word.quoted && is_safe ? word.text : to_yaml_text(word.text);
}

}  // namespace

std::string to_yaml_text(const std::string& text) {
  const auto is_plain_in_path = [](char c) { return is_plain(c) || c == '/'; };
  const bool starts_plain = !text.empty() && (is_letter(text[0]) || text[0] == '_' || text[0] == '/' ||
                                              text.starts_with("./") || text.starts_with("../"));
  if (starts_plain && std::ranges::all_of(text, is_plain_in_path) && !is_reserved(text)) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += escaped(c);
  return quoted + "\"";
}

std::string to_yaml(const Value& value) { return std::visit(ToYaml{}, value); }

const Tree* Tree::find(const std::string& key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

void Tree::merge(const Tree& other) {
  if (kind != Kind::map || other.kind != Kind::map) {
    *this = other;
    return;
  }
  for (std::size_t i = 0; i < other.keys.size(); ++i) {
    const auto found = std::ranges::find(keys, other.keys[i].text, &Tree::text);
    if (found == keys.end()) {
      keys.push_back(other.keys[i]);
      items.push_back(other.items[i]);
    } else {
      items[static_cast<std::size_t>(found - keys.begin())].merge(other.items[i]);
    }
  }
}

bool Tree::operator==(const Tree& other) const {
  return kind == other.kind && text == other.text && keys == other.keys && items == other.items;
}

std::string to_yaml(const Tree& tree) {
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < tree.items.size(); ++i) {
    const std::string key = tree.kind == Tree::Kind::map ? word_to_yaml(tree.keys[i]) + ": " : "";
    entries.push_back(key + to_yaml(tree.items[i]));
  }
  switch (tree.kind) {
    case Tree::Kind::nothing:
      return "null";
    case Tree::Kind::word:
      return word_to_yaml(tree);
    case Tree::Kind::list:
      return fmt::format("[{}]", fmt::join(entries, ", "));
    case Tree::Kind::map:
      break;
  }
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

void fail(const Tree& tree, const std::string& message) { detail::fail_at(tree.location, message); }

}  // namespace tessera::deck
