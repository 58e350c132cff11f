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

/// The values of all keys of a schema, each with the place that gave it. Comes from `load`.
class Deck {
 public:
  struct Entry {
    Value value;
    std::string location;  ///< of a value that was given, else empty
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  /// `name` is what messages about values that nobody gave call the deck.
  Deck(Schema schema, Entries entries, std::string name);

  /// The value of a key; T is the type that `ValueType` names. InternalError if the key is not declared, is
  /// of another type, or is optional and was not given.
  template <class T>
  const T& get(std::string_view name) const {
    const T* value = std::get_if<T>(&value_of(name));
    if (!value) fail_type(name);
    return *value;
  }

  /// The value of a declared key, or nullptr for an optional key that was not given.
  const Value* find(std::string_view name) const;

  /// Did a deck or the command line give it?
  bool is_set(std::string_view name) const;

  /// The text or path of an optional key; empty when it was not given.
  std::string text_of(std::string_view name) const;

  /// Where the value comes from: `file:line:column`, `command line: 'key=value'`, or `file (default)`.
  std::string location(std::string_view name) const;

  /// Throws InputError about the key's value: "location: 'name': message".
  [[noreturn]] void fail(std::string_view name, const std::string& message) const;

  const Schema& schema() const { return schema_; }

  /// The same values, wherever they come from.
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
