// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/deck/detail/text.hpp"
#include "tessera/deck/detail/yaml_reader.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::deck {
namespace {

bool is_list(const KeyDeclaration& key) { return key.type == ValueType::grid || key.type == ValueType::tile; }

std::string bound_text(const KeyDeclaration& key, double bound) {
  return key.type == ValueType::real ? fmt::format("{}", bound) : fmt::format("{:.0f}", bound);
}

std::string range_text(const KeyDeclaration& key) {
  const std::optional<double> minimum = lower_bound(key), maximum = upper_bound(key);
  if (minimum && maximum)
    return fmt::format(" from {} to {}", bound_text(key, *minimum), bound_text(key, *maximum));
  if (minimum) return fmt::format(" of at least {}", bound_text(key, *minimum));
  if (maximum) return fmt::format(" of at most {}", bound_text(key, *maximum));
  return "";
}

std::string describe_without_unit(const KeyDeclaration& key) {
  switch (key.type) {
    case ValueType::boolean:
      return "true or false";
    case ValueType::integer:
      return "an integer" + range_text(key);
    case ValueType::real:
      return "a number" + range_text(key);
    case ValueType::bytes:
      return "a size with its unit, such as 64M, 96 MiB or 2 GB (" + std::string(detail::size_units) + ")";
    case ValueType::text:
      return "text";
    case ValueType::path:
      return "a path";
    case ValueType::paths:
      return "a path or a list of paths";
    case ValueType::choice:
      return fmt::format("{}{}", key.choices.size() > 1 ? "one of " : "", fmt::join(key.choices, ", "));
    case ValueType::choices:
      if (key.choices.empty()) return "a list of names";
      return fmt::format("a list of {}{}", key.choices.size() > 1 ? "some of " : "",
                         fmt::join(key.choices, ", "));
    case ValueType::tree:
      return "a value or a block of values";
    case ValueType::grid:
      return fmt::format("a list such as [1, auto] (at most {} entries, each auto or an integer{})",
                         key.max_entries, range_text(key));
    case ValueType::tile:
      return fmt::format(
          "auto, a list such as [4096, 32] (at most {} integers{}), or {{host: [4096, 32], device: auto}}",
          key.max_entries, range_text(key));
  }
  return "";
}

bool is_key_name(std::string_view word) {
  const auto is_allowed = [](char c) {
    return detail::is_letter(c) || detail::is_digit(c) || c == '_' || c == '-';
  };
  return !word.empty() && std::ranges::all_of(word, is_allowed);
}

bool is_placeholder(std::string_view component) {
  return component.size() > 2 && component.starts_with('<') && component.ends_with('>');
}

/// Returns the word in the placeholder of a key name, such as `stage` in `schedule.<stage>.tile`, or an empty
/// string if there is no placeholder.
std::string placeholder_word(std::string_view name) {
  const std::size_t begin = name.find('<');
  return begin == std::string_view::npos
             ? ""
             : std::string(name.substr(begin + 1, name.find('>', begin) - begin - 1));
}

[[noreturn]] void fail(const KeyDeclaration& key, const std::string& message) {
  throw InternalError(fmt::format("declaration of the deck key '{}': {}", key.name, message));
}

std::optional<Value> parse_default(const KeyDeclaration& key) {
  if (!key.default_text) return std::nullopt;
  try {
    const detail::Origin origin{"default", false};
    return detail::parse_value(key, key.name, detail::read_yaml(*key.default_text, origin));
  } catch (const InputError& error) {
    fail(key, error.what());
  }
}

constexpr std::size_t line_width = 110;

std::vector<std::string> groups_of(const Schema& schema) {
  std::vector<std::string> groups;
  for (const KeyDeclaration& key : schema.declarations())
    if (!detail::contains(groups, key.group)) groups.push_back(key.group);
  return groups;
}

std::string value_text(const KeyDeclaration& key) {
  std::string text = describe(key);
  if (!key.only.empty()) text = fmt::format("for {}: {}", detail::joined(key.only), text);
  if (key.required) return text + "; required";
  return text + (key.default_text ? fmt::format("; default {}", *key.default_text) : "; optional");
}

}  // namespace

std::optional<double> lower_bound(const KeyDeclaration& key) {
  return key.minimum || !is_list(key) ? key.minimum : 1.0;
}

std::optional<double> upper_bound(const KeyDeclaration& key) {
  constexpr double largest_entry = 2147483647;
  return key.maximum || !is_list(key) ? key.maximum : largest_entry;
}

std::string describe(const KeyDeclaration& key) {
  const std::string text = describe_without_unit(key);
  return key.unit.empty() ? text : fmt::format("{} ({})", text, key.unit);
}

Schema& Schema::names(const std::string& word, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!is_key_name(name) || std::count(names.begin(), names.end(), name) > 1)
      throw InternalError(fmt::format("'{}' cannot be the name of a {} in a deck", name, word));
  }
  if (!names_.emplace(word, names).second)
    throw InternalError(fmt::format("the names of <{}> are declared twice", word));
  return *this;
}

Schema& Schema::names_follow(const std::string& word) {
  following_.insert(word);
  return names(word, {});
}

Schema& Schema::add(const KeyDeclaration& declaration) {
  check(declaration);
  declarations_.push_back(declaration);
  defaults_.push_back(parse_default(declaration));
  const std::size_t index = declarations_.size() - 1;
  const std::string word = placeholder_word(declaration.name);
  if (word.empty()) {
    insert(declaration.name, index);
    return *this;
  }
  const std::string marker = fmt::format("<{}>", word);
  const std::size_t position = declaration.name.find(marker);
  const std::string block = declaration.name.substr(0, position == 0 ? 0 : position - 1);
  insert_block(block);
  if (placeholder_of_.emplace(block, word).first->second != word)
    fail(declaration, fmt::format("'{}' holds the names of another placeholder", block));
  for (const std::string& name : names_of(word)) {
    insert_block(detail::dotted(block, name));
    if (declaration.only.empty() || detail::contains(declaration.only, name))
      insert(std::string(declaration.name).replace(position, marker.size(), name), index);
  }
  return *this;
}

Schema& Schema::add(const std::string& group, const std::vector<KeyDeclaration>& declarations) {
  for (KeyDeclaration declaration : declarations) {
    if (declaration.group.empty()) declaration.group = group;
    add(declaration);
  }
  return *this;
}

const KeyDeclaration* Schema::find(std::string_view name) const {
  const auto found = declaration_of_.find(name);
  return found == declaration_of_.end() ? nullptr : &declarations_[found->second];
}

const std::vector<std::string>& Schema::children(std::string_view block) const {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) throw InternalError(fmt::format("'{}' is no block of the deck", block));
  return found->second;
}

const std::string& Schema::placeholder(std::string_view block) const {
  static const std::string none;
  const auto found = placeholder_of_.find(block);
  return found == placeholder_of_.end() ? none : found->second;
}

const std::vector<std::string>& Schema::names_of(std::string_view word) const {
  const auto found = names_.find(word);
  if (found == names_.end()) throw InternalError(fmt::format("<{}> has no names", word));
  return found->second;
}

void Schema::check(const KeyDeclaration& declaration) const {
  int placeholders = 0;
  for (const std::string& component : detail::split(declaration.name)) {
    if (is_placeholder(component))
      ++placeholders;
    else if (!is_key_name(component))
      fail(declaration, "components are letters, digits, '_' and '-', or <placeholder>");
  }
  const bool ends_in_placeholder = declaration.name.ends_with('>');
  if (placeholders > 1 || ends_in_placeholder)
    fail(declaration, "a name has one placeholder at most, and a key below it");
  if (declaration.required && declaration.default_text) fail(declaration, "required, but has a default");
  // A list without choices is one of any names, which the program checks.
  const bool chooses = declaration.type == ValueType::choice;
  if (declaration.type != ValueType::choices && chooses == declaration.choices.empty())
    fail(declaration, "a choice has choices, other types have none");
  for (const KeyDeclaration& other : declarations_) {
    if (declaration.name.starts_with(other.name + ".") || other.name.starts_with(declaration.name + "."))
      fail(declaration, "one name is both a key and a block of keys");
  }
  if (detail::split(declaration.name).front() == detail::include_key)
    fail(declaration, "decks name the decks that they include by this key");
  check_only(declaration);
}

void Schema::check_only(const KeyDeclaration& declaration) const {
  if (declaration.only.empty()) return;
  const std::string word = placeholder_word(declaration.name);
  if (word.empty()) fail(declaration, "`only` is for keys with a placeholder");
  const auto& known = names_of(word);
  for (const std::string& name : declaration.only) {
    if (!detail::contains(known, name))
      fail(declaration, fmt::format("'{}' is not a name of <{}>", name, word));
  }
}

void Schema::insert(const std::string& name, std::size_t declaration) {
  if (blocks_.contains(name) || !declaration_of_.emplace(name, declaration).second)
    fail(declarations_[declaration], fmt::format("'{}' is declared twice", name));
  keys_.push_back({name, declaration});
  insert_child(name);
}

void Schema::insert_block(const std::string& block) {
  if (blocks_.contains(block)) return;
  if (declaration_of_.contains(block))
    throw InternalError(fmt::format("'{}' is a key and a block at once", block));
  blocks_[block];
  insert_child(block);
}

void Schema::insert_child(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const std::string parent = dot == std::string::npos ? "" : name.substr(0, dot);
  insert_block(parent);
  blocks_[parent].push_back(dot == std::string::npos ? name : name.substr(dot + 1));
}

std::string wrapped(std::string_view text, std::size_t indent) {
  const std::size_t width = line_width - std::min(indent, line_width / 2);
  std::string lines;
  while (text.size() > width) {
    const std::size_t blank = text.rfind(' ', width);
    if (blank == std::string_view::npos) break;
    lines += fmt::format("{}\n{:{}}", text.substr(0, blank), "", indent);
    text.remove_prefix(blank + 1);
  }
  return lines + std::string(text);
}

std::string help_text(const Schema& schema) {
  std::size_t width = 0;
  for (const KeyDeclaration& key : schema.declarations()) width = std::max(width, key.name.size());
  const std::size_t indent = width + 4;
  std::string text = "Keys of the deck; on the command line: key=value\n";
  for (const std::string& group : groups_of(schema)) {
    text += group.empty() ? "\n" : fmt::format("\n{}:\n", group);
    for (const KeyDeclaration& key : schema.declarations()) {
      if (key.group != group) continue;
      text += fmt::format("  {:{}}  ", key.name, width);
      if (!key.help.empty()) text += fmt::format("{}\n{:{}}", wrapped(key.help, indent), "", indent);
      text += wrapped(value_text(key), indent) + "\n";
    }
  }
  return text;
}

}  // namespace tessera::deck
