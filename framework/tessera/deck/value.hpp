// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tessera/deck/tree.hpp"

namespace tessera::deck {

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
