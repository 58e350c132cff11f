// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/detail/yaml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tessera/deck/detail/text.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::deck::detail {
namespace {

bool is_word(const Node& node, std::string_view word) {
  return node.kind == Node::Kind::scalar && !node.quoted && node.text == word;
}

constexpr std::array<std::string_view, 3> yes_words{"true", "yes", "on"}, no_words{"false", "no", "off"};

class ValueParser {
 public:
  ValueParser(const KeyDeclaration& key, const std::string& name, const Origin& origin,
              const Environment& environment)
      : key_(key), name_(name), origin_(origin), environment_(environment) {}

  Value parse(const Node& node) const {
    switch (key_.type) {
      case ValueType::boolean:
        return boolean(node);
      case ValueType::integer:
        return number<std::int64_t>(node);
      case ValueType::real:
        return number<double>(node);
      case ValueType::bytes:
        return bytes(node);
      case ValueType::text:
        return scalar(node).text;
      case ValueType::path:
        return path(node);
      case ValueType::paths:
        return paths(node);
      case ValueType::choice:
        return choice(node);
      case ValueType::choices:
        return choices(node);
      case ValueType::tree:
        return tree(node);
      case ValueType::grid:
        return grid(node);
      case ValueType::tile:
        return tile(node);
    }
    fail(node);
  }

 private:
  [[noreturn]] void fail(const Node& node, const std::string& hint = "") const {
    fail_at(location(origin_, node), fmt::format("'{}' expects {}, got {}{}", shortened(name_),
                                                 deck::describe(key_), describe(node), hint));
  }

  const Node& scalar(const Node& node) const {
    if (node.kind != Node::Kind::scalar) fail(node);
    return node;
  }

  bool boolean(const Node& node) const {
    for (std::string_view word : yes_words)
      if (is_word(node, word)) return true;
    for (std::string_view word : no_words)
      if (is_word(node, word)) return false;
    fail(node);
  }

  /// Returns the factor that converts a number with the unit `word` to the unit of the key, or 0 if this unit
  /// is not allowed.
  double factor(std::string_view word) const {
    struct Unit {
      std::string_view of, word;
      double factor;
    };
    constexpr Unit units[] = {{"s", "ms", 1e-3}, {"s", "min", 60}, {"s", "h", 3600}};
    if (word.empty() || word == key_.unit) return 1;
    for (const Unit& unit : units)
      if (unit.of == key_.unit && unit.word == word) return unit.factor;
    return 0;
  }

  /// Reads a number with or without a unit, such as "300", "300 s" or "5 min".
  template <class Number>
  Number number(const Node& node) const {
    std::string_view text = scalar(node).text;
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view word = text.substr(static_cast<std::size_t>(end - text.data()));
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    const double scale = error == std::errc() ? factor(word) : 0;
    if constexpr (std::is_floating_point_v<Number>) value *= scale;
    const bool fits = scale == 1 || (scale > 0 && std::is_floating_point_v<Number>);
    if (node.quoted || !fits || !std::isfinite(static_cast<double>(value)) || out_of_range(value)) fail(node);
    return value;
  }

  ByteSize bytes(const Node& node) const {
    const std::optional<std::int64_t> size = parse_byte_size(scalar(node).text);
    if (!size || out_of_range(*size)) fail(node);
    return {*size};
  }

  template <class Number>
  bool out_of_range(Number value) const {
    const auto minimum = lower_bound(key_), maximum = upper_bound(key_);
    return (minimum && static_cast<double>(value) < *minimum) ||
           (maximum && static_cast<double>(value) > *maximum);
  }

  std::string path(const Node& node) const {
    const std::string& text = scalar(node).text;
    const ExpandedText path = expand(text, environment_);
    if (!path.fault.empty())
      fail_at(location(origin_, node), fmt::format("'{}': {}", shortened(name_), path.fault));
    if (path.text.empty() || path.text.find_first_of("\r\n") != std::string::npos) fail(node);
    return path.text;
  }

  std::vector<std::string> paths(const Node& node) const {
    if (node.kind != Node::Kind::list) return {path(node)};
    if (node.items.empty()) fail(node, " without entries");
    std::vector<std::string> values;
    for (const Node& item : node.items) values.push_back(path(item));
    return values;
  }

  std::string choice(const Node& node) const {
    const auto& choices = key_.choices;
    const std::string& text = meant_choice(scalar(node), choices);
    if (choices.empty()) return text;
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
    if (const auto refusal = key_.refusals.find(text); refusal != key_.refusals.end())
      fail_at(location(origin_, node), fmt::format("'{}': {}", shortened(name_), refusal->second));
    fail(node, suggestion(text, choices));
  }

  std::vector<std::string> choices(const Node& node) const {
    if (node.kind != Node::Kind::list) fail(node);
    // Whoever does not want the default choices may want none.
    if (node.items.empty() && !key_.default_text) fail(node, " without entries");
    std::vector<std::string> values;
    for (const Node& item : node.items) {
      values.push_back(choice(scalar(item)));
      if (std::count(values.begin(), values.end(), values.back()) > 1) fail(item, " again");
    }
    return values;
  }

  Tree tree(const Node& node) const {
    Tree value{
        .kind = kind_of(node), .text = node.text, .quoted = node.quoted, .location = location(origin_, node)};
    for (const Node& key : node.keys) value.keys.push_back(tree(key));
    for (const Node& item : node.items) value.items.push_back(tree(item));
    return value;
  }

  static Tree::Kind kind_of(const Node& node) {
    switch (node.kind) {
      case Node::Kind::null:
        return Tree::Kind::nothing;
      case Node::Kind::scalar:
        return Tree::Kind::word;
      case Node::Kind::list:
        return Tree::Kind::list;
      case Node::Kind::map:
        break;
    }
    return Tree::Kind::map;
  }

  void check_length(const Node& list) const {
    if (list.kind != Node::Kind::list) fail(list);
    if (list.items.size() > key_.max_entries) fail(list, fmt::format(" of {} entries", list.items.size()));
    if (list.items.empty()) fail(list, " without entries");
  }

  GridValue grid(const Node& node) const {
    check_length(node);
    GridValue value;
    for (const Node& item : node.items)
      value.entries.push_back(is_word(item, "auto") ? std::nullopt
                                                    : std::optional(number<std::int64_t>(item)));
    return value;
  }

  std::vector<std::int64_t> tile_entries(const Node& node) const {
    if (is_word(node, "auto")) return {};
    check_length(node);
    std::vector<std::int64_t> entries;
    for (const Node& item : node.items) entries.push_back(number<std::int64_t>(item));
    return entries;
  }

  TileValue tile(const Node& node) const {
    if (node.kind != Node::Kind::map) {
      auto entries = tile_entries(node);
      return {entries, entries};
    }
    TileValue value;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& backend = node.keys[i];
      if (backend.text != "host" && backend.text != "device")
        fail_at(location(origin_, backend),
                fmt::format("unknown key '{}' in '{}'{}", shortened(backend.text), shortened(name_),
                            suggestion(backend.text, {"host", "device"})));
      (backend.text == "host" ? value.host : value.device) = tile_entries(node.items[i]);
    }
    return value;
  }

  const KeyDeclaration& key_;
  const std::string& name_;
  const Origin& origin_;
  const Environment& environment_;
};

}  // namespace

const std::string& meant_choice(const Node& node, const std::vector<std::string>& choices) {
  for (const auto& words : {yes_words, no_words}) {
    if (node.quoted || std::ranges::find(words, node.text) == words.end()) continue;
    for (const std::string& choice : choices)
      if (std::ranges::find(words, choice) != words.end()) return choice;
  }
  return node.text;
}

Value parse_value(const KeyDeclaration& key, const std::string& name, const Node& node, const Origin& origin,
                  const Environment& environment) {
  return ValueParser(key, name, origin, environment).parse(node);
}

}  // namespace tessera::deck::detail
