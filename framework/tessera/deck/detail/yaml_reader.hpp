// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/deck/environment.hpp"
#include "tessera/deck/schema.hpp"
#include "tessera/deck/value.hpp"

namespace tessera::deck::detail {

/// The origin of a text: a file, whose places are written `name:line:column`, or a text without lines, such
/// as an argument of the command line.
struct Origin {
  std::string name;
  bool has_lines = true;
};

/// The most bytes that a deck may have.
inline constexpr std::size_t largest_deck = std::size_t{1} << 20;

/// Throws InputError about the file `name` if the text has more bytes.
void check_size(std::string_view text, const std::string& name);

/// Reads one YAML document. Throws InputError if the text is too large or not UTF-8, has syntax errors, has a
/// second document, has anchors, aliases or tags, has keys that are not words or are given twice, or is
/// nested deeper than 32 levels. An empty document gives a tree of nothing.
Tree read_yaml(std::string_view text, const Origin& origin);

/// Returns a word with this text as it stands. Throws InputError if it is not UTF-8 text.
Tree read_word(std::string_view text, const Origin& origin);

/// Returns a short description of a value, for a message that says what was found instead of the expected
/// value.
std::string describe(const Tree& tree);

/// The key with which a deck names the decks that it includes.
inline constexpr const char* include_key = "include";

/// Returns the paths that the key `include` of a deck gives. The list is empty if the deck has no such key.
/// Throws InputError if the value of the key is neither a path nor a list of paths.
std::vector<Tree> included(const Tree& deck);

/// Returns the choice that a word means: its text, or the choice that says yes or no as its text does, such
/// as `on` for `true`.
const std::string& meant_choice(const Tree& word, const std::vector<std::string>& choices);

/// Returns the value of the type of the key that a tree means. Throws InputError, with the place of the
/// error, if the tree means no such value or the key does not allow this value. `name` is the key as the user
/// has written it. Paths may contain names of variables in `environment`.
Value parse_value(const KeyDeclaration& key, const std::string& name, const Tree& tree,
                  const Environment& environment = {});

}  // namespace tessera::deck::detail
