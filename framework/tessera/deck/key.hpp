// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::deck {

/// The form that the value of a key has in a deck. In the descriptions below, the C++ type that Deck::get
/// returns for the value stands after the colon.
enum class ValueType {
  boolean,  ///< `true`, `false`, `yes`, `no`, `on` or `off`: bool
  integer,  ///< a decimal integer of 64 bits: std::int64_t
  real,     ///< a finite number: double
  bytes,    ///< a size with a unit, such as `64M`, `96 MiB` or `2 GiB`: ByteSize
  text,     ///< any text: std::string
  path,     ///< a path in one line, relative to the working directory and not to the deck: std::string
  paths,    ///< a path, or a list of paths, in the sense of `path`: std::vector<std::string>
  choice,   ///< one of the choices of the key: std::string
  choices,  ///< a list of some choices of the key, or of any names if it has none, each once, which may be
            ///< empty if the key has a default: std::vector<std::string>
  grid,     ///< a list whose entries are integers or `auto`, such as `[1, auto]`: GridValue
  tree,     ///< a value of any form, which the program reads by itself: Tree
  tile      ///< `auto`, `[4096, 32]` or `{host: [4096, 32], device: auto}`: TileValue
};

/// The declaration of a key of a deck. It is written once, with designated initialisers, such as `{.name =
/// "threads", .type = ValueType::integer, .group = "Run", .help = "Threads per rank.", .minimum = 1}`.
/// Parsing, the help text, printed decks and error messages all use this declaration.
struct KeyDeclaration {
  /// The full name: the names of the key's blocks and of the key itself, joined by dots. `input.file` is the
  /// key `file` in the block `input`. One component of the name may be a placeholder, such as `<stage>` in
  /// `schedule.<stage>.compute`. The key then exists for each name that the placeholder stands for (see
  /// Schema::names).
  std::string name{};
  /// The type of the value.
  ValueType type = ValueType::text;
  /// The heading in the help text under which the key stands.
  std::string group{};
  /// One sentence about the key for the help text.
  std::string help{};
  /// The default value, written as in a deck. A key that has no default and is not required is optional:
  /// Deck::is_set says whether it was given.
  std::optional<std::string> default_text{};
  /// True if a deck or the command line must give the key, or one of `alternatives`. A required key has no
  /// default.
  bool required = false;
  /// The names of keys without a default that may be given instead of this required key.
  std::vector<std::string> alternatives{};
  /// The unit of the numbers of the key, for the help text and messages. A number in a deck may be followed
  /// by this unit. If the unit is `s`, a real may also be followed by `ms`, `min` or `h`, and is then
  /// converted to seconds.
  std::string unit{};
  /// The least permitted value of a number or a size, or of each entry of a grid or tile. If it is not set,
  /// numbers and sizes have no lower bound, and the entries of grids and tiles must be at least 1.
  std::optional<double> minimum{};
  /// The greatest permitted value of a number or a size, or of each entry of a grid or tile. If it is not
  /// set, numbers and sizes have no upper bound, and the entries of grids and tiles must be at most
  /// 2147483647.
  std::optional<double> maximum{};
  /// The largest number of entries that a grid or tile may have.
  std::size_t max_entries = 4;
  /// The permitted values of a choice, or of each element of a list of choices. If a list has none, all are.
  std::vector<std::string> choices{};
  /// Why values that are none of `choices` are refused and what to do, by these values. Messages about other
  /// values list the choices.
  std::map<std::string, std::string> refusals{};
  /// The names that may stand for the placeholder of this key. If the list is empty, the key exists for all
  /// names. The key may be declared again for other names, for example with other choices.
  std::vector<std::string> only{};
};

/// Returns a description in words of the values that a key accepts, with range, unit and choices, such as "an
/// integer of at least 1 (pixels)".
std::string describe(const KeyDeclaration& key);

/// Returns the least permitted value of the key's number or size, or of each entry of its grid or tile.
/// Returns nothing when there is no lower bound.
std::optional<double> lower_bound(const KeyDeclaration& key);
/// Returns the greatest permitted value of the key's number or size, or of each entry of its grid or tile.
/// Returns nothing when there is no upper bound.
std::optional<double> upper_bound(const KeyDeclaration& key);

}  // namespace tessera::deck
