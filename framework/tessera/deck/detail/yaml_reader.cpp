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

/// Returns the place of a byte whose line and column count from 0.
std::string location(const Origin& origin, std::ptrdiff_t line, std::ptrdiff_t column) {
  const std::string name = printable(origin.name);
  return origin.has_lines ? fmt::format("{}:{}:{}", name, line + 1, column + 1) : name;
}

/// Builds the tree from the events of the parser. It does not use recursion; open lists and maps are kept in
/// a vector.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Origin& origin) : origin_(origin) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) fail(mark, "a deck is a single YAML document; here a second one starts");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(start(mark, "", anchor, Tree::Kind::nothing));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { fail(mark, no_aliases); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Tree tree = start(mark, tag, anchor, Tree::Kind::word);
    if (find_non_text(value) != std::string::npos) fail(mark, "a control character in a value");
    tree.quoted = tag == "!";
    tree.text = value;
    add(std::move(tree));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(start(mark, tag, anchor, Tree::Kind::list));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(start(mark, tag, anchor, Tree::Kind::map));
  }
  void OnMapEnd() override { close(); }

  Tree take() { return std::move(root_); }

  /// Returns the innermost list or map that has not ended yet, or nullptr.
  const Tree* unfinished() const { return open_.empty() ? nullptr : &open_.back().tree; }

 private:
  struct OpenTree {
    Tree tree;
    std::set<std::string> keys_seen{};
  };

  std::string location_of(const YAML::Mark& mark) const { return location(origin_, mark.line, mark.column); }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    fail_at(location_of(mark), message);
  }

  Tree start(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Tree::Kind kind) const {
    if (anchor != YAML::NullAnchor) fail(mark, no_aliases);
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(mark, "a deck has no tags; put a word that begins with '!' in quotes");
    return {.kind = kind, .location = location_of(mark)};
  }

  bool expects_key() const {
    if (open_.empty()) return false;
    const Tree& parent = open_.back().tree;
    return parent.kind == Tree::Kind::map && parent.keys.size() == parent.items.size();
  }

  void add_key(Tree key) {
    OpenTree& parent = open_.back();
    if (key.text.empty()) fail_at(key.location, "a key without a name");
    if (key.text.size() > longest_key)
      fail_at(key.location, fmt::format("the key '{}' is too long", shortened(key.text)));
    if (!parent.keys_seen.insert(key.text).second) {
      const auto first = std::ranges::find(parent.tree.keys, key.text, &Tree::text);
      fail_at(key.location,
              fmt::format("the key '{}' is given twice (first at {})", shortened(key.text), first->location));
    }
    parent.tree.keys.push_back(std::move(key));
  }

  void add(Tree tree) {
    if (open_.empty())
      root_ = std::move(tree);
    else if (expects_key())
      add_key(std::move(tree));
    else
      open_.back().tree.items.push_back(std::move(tree));
  }

  void open(Tree tree) {
    // If a bracket is left open at the end of the text, yaml-cpp reads it as a key.
    if (expects_key())
      fail_at(tree.location, fmt::format("a key is a word, not {}; is a bracket left open?", describe(tree)));
    if (open_.size() == deepest_nesting)
      fail_at(tree.location, fmt::format("nested deeper than {} levels", deepest_nesting));
    open_.push_back({std::move(tree)});
  }

  void close() {
    Tree tree = std::move(open_.back().tree);
    open_.pop_back();
    add(std::move(tree));
  }

  const Origin& origin_;
  std::vector<OpenTree> open_;
  Tree root_;
  int documents_ = 0;
};

/// Throws InputError if the text is not UTF-8 text. Without this check, yaml-cpp would also read UTF-16 and
/// UTF-32, stop at a NUL byte and pass on malformed UTF-8.
void check_text(std::string_view text, const Origin& origin) {
  const std::size_t bad = find_non_text(text);
  if (bad == std::string_view::npos) return;
  const std::string_view before = text.substr(0, bad);
  const auto column = static_cast<std::ptrdiff_t>(bad - (before.rfind('\n') + 1));
  fail_at(location(origin, std::ranges::count(before, '\n'), column),
          fmt::format("the byte 0x{:02x} has no place here: a deck is UTF-8 text",
                      static_cast<unsigned char>(text[bad])));
}

}  // namespace

void check_size(std::string_view text, const std::string& name) {
  if (text.size() > largest_deck)
    fail_at(printable(name), "larger than 1 MiB, the most that a deck may have");
}

Tree read_yaml(std::string_view text, const Origin& origin) {
  check_size(text, origin.name);
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
    // A list or map that does not end is reported where it begins.
    const bool no_end =
        error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW || error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW;
    fail_at(no_end && builder.unfinished() != nullptr ? builder.unfinished()->location
                                                      : location(origin, error.mark.line, error.mark.column),
            alias ? no_aliases : fmt::format("not YAML: {}", shortened(error.msg)));
  }
  return builder.take();
}

Tree read_word(std::string_view text, const Origin& origin) {
  check_text(text, origin);
  return {.kind = Tree::Kind::word, .text = std::string(text), .location = location(origin, 0, 0)};
}

std::string describe(const Tree& tree) {
  switch (tree.kind) {
    case Tree::Kind::nothing:
      return "nothing";
    case Tree::Kind::word:
      return tree.quoted ? fmt::format("\"{}\"", shortened(tree.text))
                         : fmt::format("'{}'", shortened(tree.text));
    case Tree::Kind::list:
      return "a list";
    case Tree::Kind::map:
      return "a block of keys";
  }
  return "";
}

std::vector<Tree> included(const Tree& deck) {
  std::vector<Tree> entries;
  const auto fail = [](const Tree& place, const Tree& value) {
    fail_at(place.location,
            fmt::format("'include' expects the path of a deck, or a list of them, got {}", describe(value)));
  };
  for (std::size_t i = 0; i < deck.keys.size(); ++i) {
    if (deck.keys[i].text != include_key) continue;
    const Tree& value = deck.items[i];
    if (value.kind == Tree::Kind::nothing) fail(deck.keys[i], value);
    entries = value.kind == Tree::Kind::list ? value.items : std::vector<Tree>{value};
  }
  for (const Tree& entry : entries)
    if (entry.kind != Tree::Kind::word || entry.text.empty()) fail(entry, entry);
  return entries;
}

}  // namespace tessera::deck::detail
