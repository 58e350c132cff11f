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
#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::deck::detail {
namespace {

bool is_word(const Tree& tree, std::string_view word) {
  return tree.kind == Tree::Kind::word && !tree.quoted && tree.text == word;
}

constexpr std::array<std::string_view, 3> yes_words{"true", "yes", "on"}, no_words{"false", "no", "off"};

/// Parses values of a key. Throws InputError with the place in the deck.
class ValueParser {
 public:
  ValueParser(const KeyDeclaration& key, const std::string& name, const Environment& environment)
      : key_(key), name_(name), environment_(environment) {}

  Value parse(const Tree& tree) const {
    switch (key_.type) {
      case ValueType::boolean:
        return boolean(tree);
      case ValueType::integer:
        return number<std::int64_t>(tree);
      case ValueType::real:
        return number<double>(tree);
      case ValueType::bytes:
        return bytes(tree);
      case ValueType::text:
        return word(tree).text;
      case ValueType::path:
        return path(tree);
      case ValueType::paths:
        return paths(tree);
      case ValueType::choice:
        return choice(tree);
      case ValueType::choices:
        return choices(tree);
      case ValueType::tree:
        return tree;
      case ValueType::grid:
        return grid(tree);
      case ValueType::tile:
        return tile(tree);
    }
    fail(tree);
  }

 private:
  [[noreturn]] void fail(const Tree& tree, const std::string& hint = "") const {
    fail_at(tree.location, fmt::format("'{}' expects {}, got {}{}", shortened(name_), deck::describe(key_),
                                       describe(tree), hint));
  }

  /// Throws InputError about a value that has the right form, but is refused.
  [[noreturn]] void refuse(const Tree& tree, const std::string& reason) const {
    fail_at(tree.location, fmt::format("'{}': {}", shortened(name_), reason));
  }

  const Tree& word(const Tree& tree) const {
    if (tree.kind != Tree::Kind::word) fail(tree);
    return tree;
  }

  bool boolean(const Tree& tree) const {
    const bool is_yes = contains(yes_words, word(tree).text);
    if (tree.quoted || (!is_yes && !contains(no_words, tree.text))) fail(tree);
    return is_yes;
  }

  /// Returns the factor that converts a number with the unit `given` to the unit of the key, or 0 if this
  /// unit is not allowed.
  double factor(std::string_view given) const {
    struct Unit {
      std::string_view of, word;
      double factor;
    };
    constexpr Unit units[] = {{"s", "ms", 1e-3}, {"s", "min", 60}, {"s", "h", 3600}};
    if (given.empty() || given == key_.unit) return 1;
    for (const Unit& unit : units)
      if (unit.of == key_.unit && unit.word == given) return unit.factor;
    return 0;
  }

  /// Reads a number with or without a unit, such as "300", "300 s" or "5 min".
  template <class Number>
  Number number(const Tree& tree) const {
    std::string_view text = word(tree).text;
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    const double scale = error == std::errc() ? factor(unit) : 0;
    if constexpr (std::is_floating_point_v<Number>) value *= scale;
    const bool fits = scale == 1 || (scale > 0 && std::is_floating_point_v<Number>);
    if (tree.quoted || !fits || !std::isfinite(static_cast<double>(value)) || out_of_range(value)) fail(tree);
    return value;
  }

  ByteSize bytes(const Tree& tree) const {
    const std::optional<std::int64_t> size = parse_byte_size(word(tree).text);
    if (!size || out_of_range(*size)) fail(tree);
    return {*size};
  }

  template <class Number>
  bool out_of_range(Number value) const {
    const auto minimum = lower_bound(key_), maximum = upper_bound(key_);
    return (minimum && static_cast<double>(value) < *minimum) ||
           (maximum && static_cast<double>(value) > *maximum);
  }

  std::string path(const Tree& tree) const {
    const std::string& text = word(tree).text;
    std::string path;
    try {
      path = expand(text, environment_);
    } catch (const InputError& error) {
      refuse(tree, error.what());
    }
    if (path.empty() || path.find_first_of("\r\n") != std::string::npos) fail(tree);
    return path;
  }

  std::vector<std::string> paths(const Tree& tree) const {
    if (tree.kind != Tree::Kind::list) return {path(tree)};
    if (tree.items.empty()) fail(tree, " without entries");
    std::vector<std::string> values;
    for (const Tree& item : tree.items) values.push_back(path(item));
    return values;
  }

  std::string choice(const Tree& tree) const {
    const auto& choices = key_.choices;
    const std::string& text = meant_choice(word(tree), choices);
    if (choices.empty() || contains(choices, text)) return text;
    if (const auto refusal = key_.refusals.find(text); refusal != key_.refusals.end())
      refuse(tree, refusal->second);
    fail(tree, suggestion(text, choices));
  }

  std::vector<std::string> choices(const Tree& tree) const {
    if (tree.kind != Tree::Kind::list) fail(tree);
    // An empty list replaces default choices by none.
    if (tree.items.empty() && !key_.default_text) fail(tree, " without entries");
    std::vector<std::string> values;
    for (const Tree& item : tree.items) {
      values.push_back(choice(word(item)));
      if (std::count(values.begin(), values.end(), values.back()) > 1) fail(item, " again");
    }
    return values;
  }

  void check_length(const Tree& list) const {
    if (list.kind != Tree::Kind::list) fail(list);
    if (list.items.size() > key_.max_entries) fail(list, fmt::format(" of {} entries", list.items.size()));
    if (list.items.empty()) fail(list, " without entries");
  }

  GridValue grid(const Tree& tree) const {
    check_length(tree);
    GridValue value;
    for (const Tree& item : tree.items)
      value.entries.push_back(is_word(item, "auto") ? std::nullopt
                                                    : std::optional(number<std::int64_t>(item)));
    return value;
  }

  std::vector<std::int64_t> tile_entries(const Tree& tree) const {
    if (is_word(tree, "auto")) return {};
    check_length(tree);
    std::vector<std::int64_t> entries;
    for (const Tree& item : tree.items) entries.push_back(number<std::int64_t>(item));
    return entries;
  }

  TileValue tile(const Tree& tree) const {
    if (tree.kind != Tree::Kind::map) {
      auto entries = tile_entries(tree);
      return {entries, entries};
    }
    TileValue value;
    for (std::size_t i = 0; i < tree.items.size(); ++i) {
      const Tree& backend = tree.keys[i];
      if (backend.text != "host" && backend.text != "device")
        fail_at(backend.location,
                fmt::format("unknown key '{}' in '{}'{}", shortened(backend.text), shortened(name_),
                            suggestion(backend.text, {"host", "device"})));
      (backend.text == "host" ? value.host : value.device) = tile_entries(tree.items[i]);
    }
    return value;
  }

  const KeyDeclaration& key_;
  const std::string& name_;
  const Environment& environment_;
};

}  // namespace

const std::string& meant_choice(const Tree& word, const std::vector<std::string>& choices) {
  for (const auto& words : {yes_words, no_words}) {
    if (word.quoted || !contains(words, word.text)) continue;
    for (const std::string& choice : choices)
      if (contains(words, choice)) return choice;
  }
  return word.text;
}

Value parse_value(const KeyDeclaration& key, const std::string& name, const Tree& tree,
                  const Environment& environment) {
  return ValueParser(key, name, environment).parse(tree);
}

}  // namespace tessera::deck::detail
