// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera::deck {

/// The form that the value of a key has in the deck, and the C++ type that Deck::get returns for it.
enum class ValueType {
  boolean,  ///< `true`, `false`, `yes`, `no`, `on` or `off`: bool
  integer,  ///< a decimal integer of 64 bits: std::int64_t
  real,     ///< a finite number: double
  bytes,    ///< a size with a unit, such as `64M`, `96 MiB` or `2 GiB`: ByteSize
  text,     ///< any text: std::string
  path,     ///< one line, not empty, relative to the working directory and not to the deck: std::string
  choice,   ///< one of `choices`: std::string
  choices,  ///< a list of some of `choices`, each once, such as `[bh, bv]`: std::vector<std::string>
  grid,     ///< a list of integers or `auto`, such as `[1, auto]`: GridValue
  tile      ///< `auto`, `[4096, 32]` or `{host: [4096, 32], device: auto}`: TileValue
};

/// One key of a deck. It is declared once, with designated initialisers, such as `{.name = "threads", .type =
/// ValueType::integer, .group = "Run", .help = "Threads per rank.", .minimum = 1}`. Parsing, the help text,
/// the printed deck and the errors all come from it.
struct KeyDeclaration {
  /// The name, in which dots separate blocks: `input.file` is `file` in the block `input`. One component may
  /// be a placeholder, as in `schedule.<stage>.compute`: the key then exists for each of the placeholder's
  /// names.
  std::string name{};
  /// The type of the value.
  ValueType type = ValueType::text;
  /// The heading in the help text under which the key stands.
  std::string group{};
  /// One sentence for the help text.
  std::string help{};
  /// The default as a deck would spell it. A key that has none and is not required is optional: Deck::is_set
  /// says whether it was given.
  std::optional<std::string> default_text{};
  /// True when the deck or the command line must give the key. It then has no default.
  bool required = false;
  /// The unit of an integer or a real, for the help text and messages. A value may name it, or, of times,
  /// another one such as `min`.
  std::string unit{};
  /// The least value of a number, or of each entry of a grid or tile, where it is 1 by default.
  std::optional<double> minimum{};
  /// The greatest value of a number, or of each entry of a grid or tile, where it is 2147483647 by default.
  std::optional<double> maximum{};
  /// The largest number of entries of a grid or tile.
  std::size_t max_entries = 4;
  /// The values that a choice, or each element of a list of choices, may have.
  std::vector<std::string> choices{};
  /// The names of the placeholder for which the key exists; empty means all. The same key may be declared
  /// again, with other choices, for other names.
  std::vector<std::string> only{};
};

/// Returns the value that a key expects in words, with range, unit and choices: "an integer of at least 1
/// (pixels)".
std::string describe(const KeyDeclaration& key);

/// Returns the least value that holds for the key's numbers, or for the entries of its grid or tile; nothing
/// when there is no bound.
std::optional<double> lower_bound(const KeyDeclaration& key);
/// Returns the greatest value that holds for the key's numbers, or for the entries of its grid or tile;
/// nothing when there is no bound.
std::optional<double> upper_bound(const KeyDeclaration& key);

}  // namespace tessera::deck
