// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera::deck {

/// A processor grid as the deck spells it.
struct GridValue {
  /// The number of ranks along each dimension, x first; empty where the deck says `auto`.
  std::vector<std::optional<std::int64_t>> entries;

  /// Returns true when the entries are equal.
  bool operator==(const GridValue&) const = default;
};

/// A tile per backend. The short form `[4096, 32]` gives both backends the same tile.
struct TileValue {
  /// The points of a tile on hosts in each dimension, x first; no entries where the deck says `auto`.
  std::vector<std::int64_t> host;
  /// The points of a tile on devices in each dimension, x first; no entries where the deck says `auto`.
  std::vector<std::int64_t> device;

  /// Returns true when the tiles for both backends are equal.
  bool operator==(const TileValue&) const = default;
};

/// A size in bytes, such as that of memory.
struct ByteSize {
  /// The number of bytes.
  std::int64_t bytes = 0;

  /// Returns true when the sizes are equal.
  bool operator==(const ByteSize&) const = default;
};

/// The value of a key. Texts, paths and choices are all std::string; ValueType says which type belongs to
/// which key.
using Value = std::variant<bool, std::int64_t, double, ByteSize, std::string, std::vector<std::string>,
                           GridValue, TileValue>;

/// Returns the value in YAML, on one line, as a deck would spell it.
std::string to_yaml(const Value& value);

/// Returns a text in YAML: plain where it cannot be mistaken for something else, and otherwise in double
/// quotes with escapes.
std::string to_yaml_text(const std::string& text);

}  // namespace tessera::deck
