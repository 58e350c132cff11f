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
#include "tessera/domain/error.hpp"

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

namespace {

/// Reads a deck and all decks that it includes, directly or through other decks.
class IncludeReader {
 public:
  void add(const Source& source) {
    const detail::Origin origin{source.name};
    open_.push_back(identity(source.name));
    for (const detail::Node& entry : detail::included(detail::read_yaml(source.text, origin), origin))
      include(source.name, entry.text, detail::location(origin, entry));
    open_.pop_back();
    sources_.push_back(source);
  }
  std::vector<Source> take() { return std::move(sources_); }

 private:
  /// Returns a path that is the same for all paths of one file.
  static std::string identity(const std::string& path) {
    std::error_code error;
    const std::string name = std::filesystem::weakly_canonical(path, error).string();
    return error ? path : name;
  }

  void include(const std::string& by, const std::string& text, const std::string& where) {
    constexpr std::size_t most_decks = 64;
    const auto fail = [&](const std::string& message) { detail::fail_at(where, "'include': " + message); };
    const ExpandedText name = expand(text, environment_of(text));
    if (!name.fault.empty()) fail(name.fault);
    const std::string path = (std::filesystem::path(by).parent_path() / name.text).string();
    if (std::ranges::find(open_, identity(path)) != open_.end())
      fail(fmt::format("'{}' would include itself", detail::printable(path)));
    if (sources_.size() + open_.size() >= most_decks) fail(fmt::format("more than {} decks", most_decks));
    Source source;
    try {
      source = read_source(path);
    } catch (const InputError& error) {
      fail(error.what());
    }
    add(source);
  }

  /// The decks that are being read. Each of them is included by the deck before it.
  std::vector<std::string> open_;
  std::vector<Source> sources_;
};

}  // namespace

std::vector<Source> read_sources(const std::string& path) {
  IncludeReader reader;
  reader.add(read_source(path));
  return reader.take();
}

std::string shipped_decks() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const std::filesystem::path folder = program.parent_path().parent_path() / "share" / "tessera" / "inputs";
  return std::filesystem::is_directory(folder, error) ? folder.string() : std::string();
}

std::string deck_path(const std::string& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::path(path).is_absolute() || std::filesystem::exists(path, error))
    return path;
  const std::string folder = shipped_decks();
  if (folder.empty()) return path;
  const std::string shipped = (std::filesystem::path(folder).parent_path() / path).string();
  return std::filesystem::is_regular_file(shipped, error) ? shipped : path;
}

}  // namespace tessera::deck
