// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/print.hpp"

#include <fmt/format.h>

#include "tessera/deck/detail/text.hpp"
#include "tessera/deck/value.hpp"

namespace tessera::deck {
namespace {

std::string print_block(const Deck& deck, const std::string& block, const std::string& indent) {
  std::string text;
  for (const std::string& child : deck.schema().children(block)) {
    const std::string name = detail::dotted(block, child), key = indent + to_yaml_text(child);
    if (deck.schema().is_block(name)) {
      const std::string inner = print_block(deck, name, indent + "  ");
      if (!inner.empty()) text += fmt::format("{}:\n{}", key, inner);
    } else if (const Value* value = deck.find(name)) {
      if (const Tree* tree = std::get_if<Tree>(value); tree && tree->kind == Tree::Kind::map) {
        text += key + ":\n";
        for (std::size_t i = 0; i < tree->keys.size(); ++i)
          text += fmt::format("{}  {}: {}\n", indent, to_yaml(tree->keys[i]), to_yaml(tree->items[i]));
        continue;
      }
      text += fmt::format("{}: {}\n", key, to_yaml(*value));
    }
  }
  return text;
}

}  // namespace

std::string print(const Deck& deck) {
  std::string text = print_block(deck, "", "");
  for (const auto& [key, value] : deck.unread()) text += fmt::format("{}: {}\n", to_yaml_text(key), value);
  return text.empty() ? "{}\n" : text;
}

}  // namespace tessera::deck
