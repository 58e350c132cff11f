// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/deck.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/deck/detail/text.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::deck {

Deck::Deck(Schema schema, Entries entries, std::string name, Unread unread,
           std::shared_ptr<const Given> given)
    : schema_(std::move(schema)),
      entries_(std::move(entries)),
      name_(std::move(name)),
      unread_(std::move(unread)),
      given_(std::move(given)) {}

const Value* Deck::find(std::string_view name) const {
  const Entry* found = entry(name);
  return found ? &found->value : nullptr;
}

bool Deck::is_set(std::string_view name) const {
  const Entry* found = entry(name);
  return found && !found->location.empty();
}

std::string Deck::text_of(std::string_view name) const {
  return find(name) == nullptr ? std::string() : get<std::string>(name);
}

std::string Deck::location(std::string_view name) const {
  return is_set(name) ? entry(name)->location : fmt::format("{} (default)", detail::printable(name_));
}

Deck Deck::with(std::string_view name, Value value, std::string location) const {
  Deck copy = *this;
  copy.entries_.insert_or_assign(std::string(name), Entry{std::move(value), std::move(location)});
  return copy;
}

void Deck::fail(std::string_view name, const std::string& message) const {
  detail::fail_at(location(name), fmt::format("'{}': {}", name, message));
}

bool Deck::operator==(const Deck& other) const {
  const auto same = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.value == b.second.value;
  };
  return unread_ == other.unread_ &&
         std::equal(entries_.begin(), entries_.end(), other.entries_.begin(), other.entries_.end(), same);
}

const Deck::Entry* Deck::entry(std::string_view name) const {
  if (!schema_.find(name)) throw InternalError(fmt::format("the deck key '{}' is not declared", name));
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

const Value& Deck::value_of(std::string_view name) const {
  const Entry* found = entry(name);
  if (!found) throw InternalError(fmt::format("the optional deck key '{}' is read but not given", name));
  return found->value;
}

void Deck::fail_type(std::string_view name) const {
  throw InternalError(fmt::format("the deck key '{}' is read as another type than declared", name));
}

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
