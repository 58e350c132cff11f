// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::deck {

/// A value of any form: a word, a list or a map, whose entries have any form, too. Programs read the parts of
/// a deck in this form whose keys only the deck itself knows, such as the names of the steps of a chain.
struct Tree {
  /// The forms of a value.
  enum class Kind { nothing, word, list, map };

  /// The form of this value.
  Kind kind = Kind::nothing;
  /// The text of a word.
  std::string text{};
  /// Whether a word stands in quotes.
  bool quoted = false;
  /// The keys of a map, which are words, in the order in which they are given.
  std::vector<Tree> keys{};
  /// The entries of a list, or the values of a map.
  std::vector<Tree> items{};
  /// The place that gave the value, in the form that Deck::location returns.
  std::string location{};

  /// Returns the value of a key of a map, or nullptr if there is no such key.
  const Tree* find(const std::string& key) const;

  /// Replaces this value by `other`. If both are maps, the keys of `other` are added instead: a key that both
  /// have gets a value from both in the same manner.
  void merge(const Tree& other);

  /// Returns true when the values are equal. The places that gave them may differ.
  bool operator==(const Tree& other) const;
};

/// Returns the value in YAML, on one line.
std::string to_yaml(const Tree& tree);

/// Throws an InputError with the text "location: message", where `location` is the place that gave the value.
[[noreturn]] void fail(const Tree& tree, const std::string& message);

}  // namespace tessera::deck
