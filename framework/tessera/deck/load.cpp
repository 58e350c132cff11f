// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include "tessera/deck/detail/layers.hpp"
#include "tessera/deck/detail/text.hpp"
#include "tessera/deck/detail/yaml_reader.hpp"
#include "tessera/deck/shipped_decks.hpp"

namespace tessera::deck {
namespace {

constexpr std::size_t largest_deck = std::size_t{1} << 20;

void check_size(const Source& source) {
  if (source.text.size() > largest_deck)
    detail::fail_at(detail::printable(source.name), "larger than 1 MiB, the most that a deck may have");
}

void check_required(const Deck& deck, const std::string& name) {
  for (const Schema::Key& key : deck.schema().keys()) {
    const KeyDeclaration& declaration = deck.schema().declarations()[key.declaration];
    const bool is_replaced = std::ranges::any_of(
        declaration.alternatives, [&](const std::string& other) { return deck.is_set(other); });
    if (declaration.required && !is_replaced && !deck.find(key.name))
      detail::fail_at(
          name,
          fmt::format("the key '{0}' is required: give it in the deck, or {0}=VALUE on the command line",
                      key.name));
  }
}

Deck load_layers(const Schema& schema, std::shared_ptr<const Given> given, bool keeps_to_schema) {
  detail::Layers layers(schema, given->environment, keeps_to_schema);
  for (const Source& source : given->decks) {
    check_size(source);
    layers.add_deck(source.text, source.name);
  }
  for (const std::string& argument : given->overrides) layers.add_override(argument);
  const std::string name = given->decks.empty() ? "command line" : given->decks.back().name;
  Deck deck(schema, layers.take(), name, layers.take_unread(), std::move(given));
  check_required(deck, detail::printable(name));
  return deck;
}

}  // namespace

Source read_source(const std::string& named, std::string_view what) {
  // The operating system would end the name at a NUL byte.
  if (named.find('\0') != std::string::npos) detail::fail_at(detail::printable(named), "not a file name");
  const std::string path = deck_path(named);
  const std::string name = detail::printable(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    detail::fail_at(name, fmt::format("a directory, not a {}", what));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) detail::fail_at(name, fmt::format("cannot open the {}: {}", what, std::strerror(errno)));
  // One byte more than allowed is read, so that a file that is too large is noticed.
  Source source{path, std::string(largest_deck + 1, '\0')};
  file.read(source.text.data(), static_cast<std::streamsize>(source.text.size()));
  if (file.bad()) detail::fail_at(name, fmt::format("cannot read the {}", what));
  source.text.resize(static_cast<std::size_t>(file.gcount()));
  check_size(source);
  return source;
}

Deck load(const Schema& schema, const std::vector<Source>& decks, const std::vector<std::string>& overrides,
          const Environment& environment) {
  return load_layers(schema, std::make_shared<const Given>(Given{decks, overrides, environment}), true);
}

Deck load_declared(const Schema& schema, const std::vector<Source>& decks,
                   const std::vector<std::string>& overrides, const Environment& environment) {
  return load_layers(schema, std::make_shared<const Given>(Given{decks, overrides, environment}), false);
}

Deck load_again(const Deck& deck, const Schema& schema) {
  Deck whole = load_layers(schema, deck.given_, true);
  for (const auto& [name, entry] : deck.entries_) whole.entries_.insert_or_assign(name, entry);
  return whole;
}

}  // namespace tessera::deck
