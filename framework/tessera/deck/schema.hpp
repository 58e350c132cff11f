// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/deck/key.hpp"
#include "tessera/deck/value.hpp"

namespace tessera::deck {

/// The keys that a deck may have. Declarations that contradict themselves or each other throw InternalError.
class Schema {
 public:
  /// A concrete key, which has a name in the place of the placeholder.
  struct Key {
    /// The dotted name.
    std::string name;
    /// The index of the key's declaration in `declarations()`.
    std::size_t declaration;
  };

  /// Sets the names that the placeholder `<word>` stands for, in order. They consist of letters, digits, `_`
  /// and `-`. This must come before the keys that use the placeholder. Returns this schema.
  Schema& names(const std::string& word, const std::vector<std::string>& names);

  /// Declares a key. The help text and printed decks keep the order of declaration. Returns this schema.
  Schema& add(const KeyDeclaration& declaration);

  /// The declarations, in order.
  const std::vector<KeyDeclaration>& declarations() const { return declarations_; }
  /// The concrete keys, in the order of their declarations.
  const std::vector<Key>& keys() const { return keys_; }

  /// Returns the declaration of a concrete key, or nullptr when there is none.
  const KeyDeclaration* find(std::string_view name) const;

  /// Returns the default of a concrete key, if it has one.
  const std::optional<Value>& default_value(const Key& key) const { return defaults_[key.declaration]; }

  /// Returns true when the name is that of a block of keys. The whole deck is the block with the empty name.
  bool is_block(std::string_view name) const { return blocks_.contains(name); }

  /// Returns the keys and blocks directly in a block, without the name of the block. Throws InternalError
  /// when there is no such block.
  const std::vector<std::string>& children(std::string_view block) const;

  /// Returns the word of the placeholder (`stage`) whose names are the keys of the block, or an empty text.
  const std::string& placeholder(std::string_view block) const;

  /// Returns the names that a placeholder stands for. Throws InternalError when it has none.
  const std::vector<std::string>& names_of(std::string_view word) const;

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
};

}  // namespace tessera::deck
