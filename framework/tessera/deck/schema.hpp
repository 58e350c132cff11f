// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/deck/key.hpp"
#include "tessera/deck/value.hpp"

namespace tessera::deck {

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
