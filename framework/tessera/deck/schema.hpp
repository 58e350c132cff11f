// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/deck/value.hpp"

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

/// The keys that a deck may have. Contradictory declarations throw InternalError.
class Schema {
 public:
  /// A concrete key, whose name has no placeholder. A declaration with a placeholder makes one concrete key
  /// for each name that the placeholder stands for.
  struct Key {
    /// The full name, with dots between its components.
    std::string name;
    /// The index of the key's declaration in `declarations()`.
    std::size_t declaration;
  };

  /// Sets the names that the placeholder `<word>` stands for, in order. Each name must consist of letters,
  /// digits, `_` and `-`. Call this function before you add keys with this placeholder. Returns this schema.
  Schema& names(const std::string& word, const std::vector<std::string>& names);

  /// Declares that the names that the placeholder `<word>` stands for are only known after a deck was loaded.
  /// The deck keeps what it has below such names unread, until `load_again` gets a schema with the names.
  /// Returns this schema.
  Schema& names_follow(const std::string& word);

  /// Declares a key. The help text and printed decks list keys in the order of their declarations. Returns
  /// this schema.
  Schema& add(const KeyDeclaration& declaration);
  /// Declares several keys. Those that have no group are in the group `group`. Returns this schema.
  Schema& add(const std::string& group, const std::vector<KeyDeclaration>& declarations);

  /// The declarations, in the order in which they were added.
  const std::vector<KeyDeclaration>& declarations() const { return declarations_; }
  /// The concrete keys, in the order of their declarations.
  const std::vector<Key>& keys() const { return keys_; }

  /// Returns the declaration of a concrete key, or nullptr when there is no key of this name.
  const KeyDeclaration* find(std::string_view name) const;

  /// Returns the default of a concrete key, if it has one.
  const std::optional<Value>& default_value(const Key& key) const { return defaults_[key.declaration]; }

  /// Returns true when `name` is the name of a block of keys. The whole deck is the block with the empty
  /// name.
  bool is_block(std::string_view name) const { return blocks_.contains(name); }

  /// Returns the names of the keys and blocks that lie directly in `block`. The names do not begin with the
  /// name of `block`. Throws InternalError when there is no such block.
  const std::vector<std::string>& children(std::string_view block) const;

  /// Returns the word of the placeholder that follows `block` in the names of keys, or an empty text if there
  /// is no such placeholder. For the block `schedule` of the key `schedule.<stage>.tile` the word is `stage`.
  const std::string& placeholder(std::string_view block) const;

  /// Returns the names that the placeholder `<word>` stands for. Throws InternalError when no names were set
  /// for it.
  const std::vector<std::string>& names_of(std::string_view word) const;

  /// Returns true when the names that the placeholder `<word>` stands for are not known yet.
  bool follows(std::string_view word) const { return following_.contains(word); }

 private:
  void check(const KeyDeclaration& declaration) const;
  void check_only(const KeyDeclaration& declaration) const;
  void insert(const std::string& name, std::size_t declaration);
  void insert_block(const std::string& block);
  void insert_child(const std::string& name);

  std::vector<KeyDeclaration> declarations_;
  std::vector<std::optional<Value>> defaults_;
  std::vector<Key> keys_;
  std::map<std::string, std::size_t, std::less<>> declaration_of_;
  std::map<std::string, std::vector<std::string>, std::less<>> blocks_{{"", {}}};
  std::map<std::string, std::string, std::less<>> placeholder_of_;
  std::map<std::string, std::vector<std::string>, std::less<>> names_;
  std::set<std::string, std::less<>> following_;
};

/// Returns a description of all keys for the users of a program, in groups and aligned. For each key it has
/// the values that the key accepts, with range, unit and default.
std::string help_text(const Schema& schema);

/// Returns a text with line breaks at blanks, so that it fits a terminal if its first line begins in the
/// column `indent`. All lines after the first are indented by that.
std::string wrapped(std::string_view text, std::size_t indent);

}  // namespace tessera::deck
