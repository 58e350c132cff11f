// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/deck/detail/text.hpp"
#include "tessera/deck/value.hpp"

namespace tessera::deck {
namespace {

/// Returns whether a word means the same in YAML with and without quotes around it, in lists and maps, too.
bool is_safe(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || c == '+';
  });
}

std::string word_to_yaml(const Tree& word) {
  return !word.quoted && is_safe(word.text) ? word.text : to_yaml_text(word.text);
}

}  // namespace

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
