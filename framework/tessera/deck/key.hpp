// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera::deck {

/// What a key's value looks like in the deck, and the C++ type that `Deck::get` returns for it.
enum class ValueType {
  boolean,  ///< `true`, `false`, `yes`, `no`, `on`, `off`: bool
  integer,  ///< 64 bits, decimal: std::int64_t
  real,     ///< finite: double
  bytes,    ///< with a unit, such as `64M`, `96 MiB` or `2 GiB`: ByteSize
  text,     ///< std::string
  path,     ///< not empty, one line; relative to the current working directory, not to the deck: std::string
  choice,   ///< one of `choices`: std::string
  choices,  ///< a list of some of `choices`, each once, such as `[bh, bv]`: std::vector<std::string>
  grid,     ///< a list of integers or `auto`, such as `[1, auto]`: GridValue
  tile      ///< `auto`, `[4096, 32]` or `{host: [4096, 32], device: auto}`: TileValue
};

/// One key of a deck, declared once, with designated initialisers:
/// `{.name = "threads", .type = ValueType::integer, .group = "Run", .help = "Threads per rank.", .minimum =
/// 1}`. Parsing, help, the printed deck and the errors all come from it.
struct KeyDeclaration {
  /// Dotted: `input.file` is `file` in the block `input`. One component may be a placeholder, as in
  /// `schedule.<stage>.compute`: the key then exists for each of the placeholder's names.
  std::string name{};
  ValueType type = ValueType::text;
  /// The heading in the help text.
  std::string group{};
  /// One sentence for the help text.
  std::string help{};
  /// The default as a deck would spell it. Without one the key is optional: ask `Deck::is_set`.
  std::optional<std::string> default_text{};
  /// The deck or the command line must give it. Excludes a default.
  bool required = false;
  /// Of an integer or a real: for the help text and messages; a value may name it, or times others such as
  /// `min`.
  std::string unit{};
  /// Bounds of a number or of each entry of a grid or tile (where they are 1 and 2147483647 by default).
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  /// The most entries of a grid or tile.
  std::size_t max_entries = 4;
  /// What a choice chooses from, or a list of choices.
  std::vector<std::string> choices{};
  /// Of a placeholder key: the names that it exists for. Empty: all. The same key may be declared again, with
  /// other choices, for other names.
  std::vector<std::string> only{};
};

/// The value that a key expects, in words, with range, unit and choices: "an integer of at least 1 (pixels)".
std::string describe(const KeyDeclaration& key);

/// The bounds that hold for the key's numbers, those of grids and tiles filled in.
std::optional<double> lower_bound(const KeyDeclaration& key);
std::optional<double> upper_bound(const KeyDeclaration& key);

}  // namespace tessera::deck
