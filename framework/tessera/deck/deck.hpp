// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/deck/schema.hpp"
#include "tessera/deck/value.hpp"

namespace tessera::deck {

struct Given;

/// The values of the keys of a schema. Each value is stored with the place that gave it, such as a line of a
/// file. The function `load` makes decks.
class Deck {
 public:
  /// The value of a key, and the place that gave the value.
  struct Entry {
    /// The value.
    Value value;
    /// The place that gave the value, in the form that Deck::location returns; empty if the value is the
    /// default.
    std::string location;
  };
  /// The entries of a deck, by the names of the keys.
  using Entries = std::map<std::string, Entry, std::less<>>;
  /// Keys whose names are not known yet (see Schema::names_follow), as they were written, with their values
  /// in YAML. A later one wins.
  using Unread = std::vector<std::pair<std::string, std::string>>;

  /// Makes a deck with the given entries. `name` is the name of the deck in messages about keys that were not
  /// given. `given` is what the deck was loaded from.
  Deck(Schema schema, Entries entries, std::string name, Unread unread = {},
       std::shared_ptr<const Given> given = {});

  /// Returns the value of a key. T is the C++ type that the documentation of ValueType lists for the type of
  /// the key. Throws InternalError if the key is not declared, has another type, or is optional and was not
  /// given.
  template <class T>
  const T& get(std::string_view name) const {
    const T* value = std::get_if<T>(&value_of(name));
    if (!value) fail_type(name);
    return *value;
  }

  /// Returns the value of a declared key, or nullptr for an optional key that was not given. Throws
  /// InternalError if the key is not declared.
  const Value* find(std::string_view name) const;

  /// Returns true when a deck or the command line gave a value for the key.
  bool is_set(std::string_view name) const;

  /// Returns the value of a key of the type text, path or choice, or an empty text when the key is optional
  /// and was not given.
  std::string text_of(std::string_view name) const;

  /// Returns the place that gave the value of the key: `file:line:column`, `command line: 'key=value'`, or
  /// `file (default)` if the key was not given.
  std::string location(std::string_view name) const;

  /// Returns a copy of the deck in which the key `name` has the value `value`, given by `location`.
  Deck with(std::string_view name, Value value, std::string location) const;

  /// Throws an InputError about the value of a key, with the text "location: 'name': message".
  [[noreturn]] void fail(std::string_view name, const std::string& message) const;

  /// The keys that the deck may have.
  const Schema& schema() const { return schema_; }
  /// The keys whose names are not known yet.
  const Unread& unread() const { return unread_; }

  /// Returns true when both decks have the same values. The places that gave the values may differ.
  bool operator==(const Deck& other) const;

 private:
  friend Deck load_again(const Deck& deck, const Schema& schema);

  const Entry* entry(std::string_view name) const;
  const Value& value_of(std::string_view name) const;
  [[noreturn]] void fail_type(std::string_view name) const;

  Schema schema_;
  Entries entries_;
  std::string name_;
  Unread unread_;
  std::shared_ptr<const Given> given_;
};

/// Returns the deck in effect as YAML that loads to the same values: defaults and overrides are included, and
/// patterns are resolved. Optional keys that were not given are left out.
std::string print(const Deck& deck);

}  // namespace tessera::deck
