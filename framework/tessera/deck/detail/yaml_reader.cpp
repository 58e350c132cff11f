// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/detail/yaml_reader.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "tessera/deck/detail/text.hpp"

namespace tessera::deck::detail {
namespace {

constexpr std::size_t deepest_nesting = 32;
constexpr std::size_t longest_key = 256;
constexpr const char* no_aliases =
    "a deck has no anchors or aliases; put a word that begins with '&' or '*' in quotes";

/// Builds the tree of nodes from the events of the parser. It does not use recursion; open nodes are kept in
/// a vector.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Origin& origin) : origin_(origin) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) fail(mark, "a deck is a single YAML document; here a second one starts");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(start(mark, "", anchor, Node::Kind::null));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { fail(mark, no_aliases); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = start(mark, tag, anchor, Node::Kind::scalar);
    if (find_non_text(value) != std::string::npos) fail(mark, "a control character in a value");
    node.quoted = tag == "!";
    node.text = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(start(mark, tag, anchor, Node::Kind::list));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(start(mark, tag, anchor, Node::Kind::map));
  }
  void OnMapEnd() override { close(); }

  Node take() { return std::move(root_); }

  /// Returns the innermost list or map that has not ended yet, or nullptr.
  const Node* unfinished() const { return open_.empty() ? nullptr : &open_.back().node; }

 private:
  struct OpenNode {
    Node node;
    std::set<std::string> keys_seen{};
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    Node node;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    fail_at(location(origin_, node), message);
  }

  Node start(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) const {
    if (anchor != YAML::NullAnchor) fail(mark, no_aliases);
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(mark, "a deck has no tags; put a word that begins with '!' in quotes");
    Node node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  bool expects_key() const {
    if (open_.empty()) return false;
    const Node& parent = open_.back().node;
    return parent.kind == Node::Kind::map && parent.keys.size() == parent.items.size();
  }

  void add_key(Node key) {
    OpenNode& parent = open_.back();
    const std::string where = location(origin_, key);
    if (key.text.empty()) fail_at(where, "a key without a name");
    if (key.text.size() > longest_key)
      fail_at(where, fmt::format("the key '{}' is too long", shortened(key.text)));
    if (!parent.keys_seen.insert(key.text).second) {
      const auto& keys = parent.node.keys;
      const auto first =
          std::find_if(keys.begin(), keys.end(), [&](const Node& k) { return k.text == key.text; });
      fail_at(where, fmt::format("the key '{}' is given twice (first at {})", shortened(key.text),
                                 location(origin_, *first)));
    }
    parent.node.keys.push_back(std::move(key));
  }

  void add(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (expects_key()) {
      add_key(std::move(node));
    } else {
      open_.back().node.items.push_back(std::move(node));
    }
  }

  void open(Node node) {
    const std::string where = location(origin_, node);
    // If a bracket is left open at the end of the text, yaml-cpp reads it as a key.
    if (expects_key())
      fail_at(where, fmt::format("a key is a word, not {}; is a bracket left open?", describe(node)));
    if (open_.size() == deepest_nesting)
      fail_at(where, fmt::format("nested deeper than {} levels", deepest_nesting));
    open_.push_back({std::move(node)});
  }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  const Origin& origin_;
  std::vector<OpenNode> open_;
  Node root_;
  int documents_ = 0;
};

/// Returns a node with the line and column of the byte at `position`.
Node place_of(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  Node place;
  place.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  place.column = static_cast<int>(position - (before.rfind('\n') + 1)) + 1;
  return place;
}

/// Throws InputError if the text is not UTF-8 text. Without this check, yaml-cpp would also read UTF-16 and
/// UTF-32, stop at a NUL byte and pass on malformed UTF-8.
void check_text(std::string_view text, const Origin& origin) {
  const std::size_t bad = find_non_text(text);
  if (bad == std::string_view::npos) return;
  fail_at(location(origin, place_of(text, bad)),
          fmt::format("the byte 0x{:02x} has no place here: a deck is UTF-8 text",
                      static_cast<unsigned char>(text[bad])));
}

/// Returns a node with the place of an error of the parser. For a list or map that does not end, this is the
/// place at which it begins.
Node place_of(const YAML::Exception& error, const TreeBuilder& builder) {
  const bool no_end =
      error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW || error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW;
  Node place;
  place.line = no_end && builder.unfinished() ? builder.unfinished()->line : error.mark.line + 1;
  place.column = no_end && builder.unfinished() ? builder.unfinished()->column : error.mark.column + 1;
  return place;
}

}  // namespace

Node read_yaml(std::string_view text, const Origin& origin) {
  check_text(text, origin);
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(origin);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    const bool alias =
        error.msg == YAML::ErrorMsg::UNKNOWN_ANCHOR || error.msg == YAML::ErrorMsg::ALIAS_NOT_FOUND;
    fail_at(location(origin, place_of(error, builder)),
            alias ? no_aliases : fmt::format("not YAML: {}", shortened(error.msg)));
  }
  return builder.take();
}

Node read_word(std::string_view text, const Origin& origin) {
  check_text(text, origin);
  return {.kind = Node::Kind::scalar, .text = std::string(text)};
}

std::string location(const Origin& origin, const Node& node) {
  const std::string name = printable(origin.name);
  return origin.has_lines ? fmt::format("{}:{}:{}", name, node.line, node.column) : name;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return node.quoted ? fmt::format("\"{}\"", shortened(node.text))
                         : fmt::format("'{}'", shortened(node.text));
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a block of keys";
  }
  return "";
}

std::vector<Node> included(const Node& root, const Origin& origin) {
  std::vector<Node> entries;
  const auto fail = [&](const Node& place, const Node& value) {
    fail_at(location(origin, place),
            fmt::format("'include' expects the path of a deck, or a list of them, got {}", describe(value)));
  };
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    if (root.keys[i].text != include_key) continue;
    const Node& value = root.items[i];
    if (value.kind == Node::Kind::null) fail(root.keys[i], value);
    entries = value.kind == Node::Kind::list ? value.items : std::vector<Node>{value};
  }
  for (const Node& entry : entries)
    if (entry.kind != Node::Kind::scalar || entry.text.empty()) fail(entry, entry);
  return entries;
}

}  // namespace tessera::deck::detail
