// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::deck::detail {

/// Where text comes from: a file, whose places are `name:line:column`, or something that has no lines.
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
  std::string text{};         ///< of a scalar
  std::vector<Node> keys{};   ///< of a map: scalars
  std::vector<Node> items{};  ///< of a list, or the values of a map
};

/// Reads one YAML document. Refuses, with InputError: what is not UTF-8 text, syntax errors, a second
/// document, anchors, aliases and tags, keys that are not words or are given twice, and nesting deeper
/// than 32. An empty document is a null node.
Node read_yaml(std::string_view text, const Origin& origin);

/// "name:line:column", or the origin's name where it has no lines.
std::string location(const Origin& origin, const Node& node);

/// What the node is, for a message that says what was got instead.
std::string describe(const Node& node);

}  // namespace tessera::deck::detail
