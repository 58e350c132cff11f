// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/deck/detail/yaml_reader.hpp"
#include "tessera/deck/environment.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::deck::detail {

/// Combines defaults, decks and overrides. If a key has several values, the one that was added last wins.
class Layers {
 public:
  /// If `keeps_to_schema` is false, keys that the schema does not have are left out. Otherwise they are
  /// errors.
  Layers(const Schema& schema, const Environment& environment, bool keeps_to_schema = true);

  /// Adds the values of a deck. The decks that this deck includes must have been added before.
  void add_deck(std::string_view text, const std::string& name);

  /// Adds an override from the command line. `argument` has the form `key=value`.
  void add_override(const std::string& argument);

  Deck::Entries take() { return std::move(entries_); }
  Deck::Unread take_unread() { return std::move(unread_); }

 private:
  bool is_one_text(const std::string& path, const std::string& text) const;

  /// A key or block as the user has written it, and the full names of all keys or blocks that it stands for.
  /// There are several names if a pattern was written.
  struct Target {
    std::string spelt;
    std::vector<std::string> names;
  };

  void apply(const Target& target, const Node& value, const Node& place);
  bool has_names(const Target& target) const;
  void keep_unread(const std::string& spelt, const Node& value);
  void apply_block(const Target& target, const Node& block);
  void apply_in_tree(Target target, const std::vector<std::string>& path, Node value, const Node& place);
  void apply_path(Target target, const std::string& path, const Node& value, const Node& place);
  Target descend(const Target& target, const std::string& component, const Node& place) const;
  void set(const Target& target, const Node& value, const Node& place);
  void set_each(const Target& target, const Node& value);
  bool is_tree(const Target& target) const;
  bool allows(const std::string& name, const Node& value) const;

  [[noreturn]] void fail_unknown(const Target& target, const std::string& component, const Node& place) const;
  [[noreturn]] void fail_no_match(const std::string& word, const std::string& pattern,
                                  const Node& place) const;
  [[noreturn]] void fail(const Node& place, const std::string& message) const;

  const Schema& schema_;
  const Environment& environment_;
  bool keeps_to_schema_;
  Deck::Entries entries_;
  Deck::Unread unread_;
  Origin origin_;                                ///< The origin of the layer that is being added.
  std::map<std::string, std::string> spelt_at_;  ///< Where each key of this layer was given.
};

}  // namespace tessera::deck::detail
