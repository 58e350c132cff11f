// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/deck/environment.hpp"
#include "tessera/deck/key.hpp"
#include "tessera/deck/value.hpp"

namespace tessera::deck::detail {

/// The origin of a text: a file, whose places are written `name:line:column`, or a text without lines, such
/// as an argument of the command line.
struct Origin {
  std::string name;
  bool has_lines = true;
};

/// A YAML node. Lines and columns count from 1.
struct Node {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  int line = 1;
  int column = 1;
  bool quoted = false;
  std::string text{};         ///< The text of a scalar.
  std::vector<Node> keys{};   ///< The keys of a map, which are scalars.
  std::vector<Node> items{};  ///< The entries of a list, or the values of a map.
};

/// Reads one YAML document. Throws InputError if the text is not UTF-8, has syntax errors, has a second
/// document, has anchors, aliases or tags, has keys that are not words or are given twice, or is nested
/// deeper than 32 levels. An empty document gives a null node.
Node read_yaml(std::string_view text, const Origin& origin);

/// Returns a scalar with this text as it stands. Throws InputError if it is not UTF-8 text.
Node read_word(std::string_view text, const Origin& origin);

/// Returns the text "name:line:column" for the place of a node, or only the name of the origin if the origin
/// has no lines.
std::string location(const Origin& origin, const Node& node);

/// Returns a short description of a node, for a message that says what was found instead of the expected
/// value.
std::string describe(const Node& node);

/// The key with which a deck names the decks that it includes.
inline constexpr const char* include_key = "include";

/// Returns the paths that the key `include` of a deck gives. The list is empty if the deck has no such key.
/// Throws InputError if the value of the key is neither a path nor a list of paths.
std::vector<Node> included(const Node& root, const Origin& origin);

/// Returns the choice that a scalar means: its text, or the choice that says yes or no as its text does, such
/// as `on` for `true`.
const std::string& meant_choice(const Node& node, const std::vector<std::string>& choices);

/// Returns the value of a node, which has the type of the key. Throws InputError, with the place of the
/// error, if the node has no such value or the key does not allow this value. `name` is the key as the user
/// has written it. Paths may contain names of variables in `environment`.
Value parse_value(const KeyDeclaration& key, const std::string& name, const Node& node, const Origin& origin,
                  const Environment& environment = {});

}  // namespace tessera::deck::detail
