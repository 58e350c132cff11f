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

/// The keys that a deck may have. Declarations that contradict themselves throw InternalError.
class Schema {
 public:
  /// A concrete key: its name with the placeholder filled in, and its declaration.
  struct Key {
    std::string name;
    std::size_t declaration;
  };

  /// The names that the placeholder `<word>` stands for, in order: letters, digits, `_` and `-`. Comes before
  /// the keys that use it.
  Schema& names(const std::string& word, const std::vector<std::string>& names);

  /// Declares a key. Help and printed decks keep the order of declaration.
  Schema& add(const KeyDeclaration& declaration);

  const std::vector<KeyDeclaration>& declarations() const { return declarations_; }
  const std::vector<Key>& keys() const { return keys_; }

  /// The declaration of a concrete key, or nullptr.
  const KeyDeclaration* find(std::string_view name) const;

  /// The value that a concrete key has when nobody gives one.
  const std::optional<Value>& default_value(const Key& key) const { return defaults_[key.declaration]; }

  /// Is it a block of keys? The whole deck is the block with the empty name.
  bool is_block(std::string_view name) const { return blocks_.contains(name); }

  /// The keys and blocks directly in a block, without its name.
  const std::vector<std::string>& children(std::string_view block) const;

  /// The placeholder's word (`stage`) if the block's keys are the names of one, else an empty string.
  const std::string& placeholder(std::string_view block) const;

  /// The names that a placeholder stands for.
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
