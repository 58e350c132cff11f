// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera::deck {

/// A processor grid as the deck spells it: one entry per dimension, empty where the deck says `auto`.
struct GridValue {
  std::vector<std::optional<std::int64_t>> entries;

  bool operator==(const GridValue&) const = default;
};

/// A tile per backend, one entry per dimension; no entries where the deck says `auto`. The short form
/// `[4096, 32]` gives both backends the same tile.
struct TileValue {
  std::vector<std::int64_t> host;
  std::vector<std::int64_t> device;

  bool operator==(const TileValue&) const = default;
};

/// A size, such as that of memory.
struct ByteSize {
  std::int64_t bytes = 0;

  bool operator==(const ByteSize&) const = default;
};

/// What a key may hold. Texts, paths and choices are all strings.
using Value = std::variant<bool, std::int64_t, double, ByteSize, std::string, std::vector<std::string>,
                           GridValue, TileValue>;

/// The value in YAML, on one line, as a deck would spell it.
std::string to_yaml(const Value& value);

/// A string in YAML: plain where that is unmistakable, else in double quotes with escapes.
std::string to_yaml_text(const std::string& text);

}  // namespace tessera::deck
