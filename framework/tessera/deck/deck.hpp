// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/deck/schema.hpp"
#include "tessera/deck/value.hpp"

namespace tessera::deck {

/// The values of all keys of a schema, each with the place that gave it. `load` makes it.
class Deck {
 public:
  /// The value of a key and its place.
  struct Entry {
    /// The value.
    Value value;
    /// The place that gave the value, as Deck::location returns it; empty for a default.
    std::string location;
  };
  /// Values by the names of keys.
  using Entries = std::map<std::string, Entry, std::less<>>;

  /// Makes a deck of these values. Messages about values that nobody gave call the deck `name`.
  Deck(Schema schema, Entries entries, std::string name);

  /// Returns the value of a key. T is the type that ValueType names. Throws InternalError if the key is not
  /// declared, has another type, or is optional and was not given.
  template <class T>
  const T& get(std::string_view name) const {
    const T* value = std::get_if<T>(&value_of(name));
    if (!value) fail_type(name);
    return *value;
  }

  /// Returns the value of a declared key, or nullptr for an optional key that was not given. Throws
  /// InternalError if the key is not declared.
  const Value* find(std::string_view name) const;

  /// Returns true when a deck or the command line gave the key.
  bool is_set(std::string_view name) const;

  /// Returns the text or path of an optional key, or an empty text when it was not given.
  std::string text_of(std::string_view name) const;

  /// Returns where the value comes from: `file:line:column`, `command line: 'key=value'`, or `file
  /// (default)`.
  std::string location(std::string_view name) const;

  /// Throws an InputError about the key's value: "location: 'name': message".
  [[noreturn]] void fail(std::string_view name, const std::string& message) const;

  /// The keys that the deck may have.
  const Schema& schema() const { return schema_; }

  /// Returns true when both decks have the same values, wherever the values come from.
  bool operator==(const Deck& other) const;

 private:
  const Entry* entry(std::string_view name) const;
  const Value& value_of(std::string_view name) const;
  [[noreturn]] void fail_type(std::string_view name) const;

  Schema schema_;
  Entries entries_;
  std::string name_;
};

}  // namespace tessera::deck
