// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera::deck {

/// A value of any form: a word, a list or a map, whose entries have any form, too. Programs read the parts of
/// a deck in this form whose keys only the deck itself knows, such as the names of the steps of a chain.
struct Tree {
  /// The forms of a value.
  enum class Kind { nothing, word, list, map };

  /// The form of this value.
  Kind kind = Kind::nothing;
  /// The text of a word.
  std::string text{};
  /// True if a word stands in quotes.
  bool quoted = false;
  /// The keys of a map, which are words, in the order in which they are given.
  std::vector<Tree> keys{};
  /// The entries of a list, or the values of a map.
  std::vector<Tree> items{};
  /// The place that gave the value, in the form that Deck::location returns.
  std::string location{};

  /// Returns the value of a key of a map, or nullptr if there is no such key.
  const Tree* find(const std::string& key) const;

  /// Replaces this value by `other`. If both are maps, the keys of `other` are added instead: a key that both
  /// have gets a value from both in the same manner.
  void merge(const Tree& other);

  /// Returns true when the values are equal. The places that gave them may differ.
  bool operator==(const Tree& other) const;
};

/// Returns the value in YAML, on one line.
std::string to_yaml(const Tree& tree);

/// Throws an InputError with the text "location: message", where `location` is the place that gave the value.
[[noreturn]] void fail(const Tree& tree, const std::string& message);

/// A processor grid as a deck gives it.
struct GridValue {
  /// The number of ranks along each dimension, x first. An entry has no value where the deck says `auto`.
  std::vector<std::optional<std::int64_t>> entries;

  /// Returns true when the entries are equal.
  bool operator==(const GridValue&) const = default;
};

/// The tile sizes that a deck gives for hosts and for devices. The short form `[4096, 32]` in a deck gives
/// hosts and devices the same tile.
struct TileValue {
  /// The extent of a tile on hosts in each dimension, in points, x first; empty where the deck says `auto`.
  std::vector<std::int64_t> host;
  /// The extent of a tile on devices in each dimension, in points, x first; empty where the deck says `auto`.
  std::vector<std::int64_t> device;

  /// Returns true when the tiles for hosts are equal and the tiles for devices are equal.
  bool operator==(const TileValue&) const = default;
};

/// A size in bytes, such as an amount of memory.
struct ByteSize {
  /// The number of bytes.
  std::int64_t bytes = 0;

  /// Returns true when the sizes are equal.
  bool operator==(const ByteSize&) const = default;
};

/// The value of a key. Texts, paths and choices are all stored as std::string. The documentation of ValueType
/// lists the C++ type for each type of key.
using Value = std::variant<bool, std::int64_t, double, ByteSize, std::string, std::vector<std::string>,
                           GridValue, TileValue, Tree>;

/// Returns the value in YAML, on one line, as in a deck.
std::string to_yaml(const Value& value);

/// Returns a text in YAML. The text is plain if a YAML reader cannot take it for something other than text.
/// Otherwise it stands in double quotes, with escapes.
std::string to_yaml_text(const std::string& text);

}  // namespace tessera::deck
