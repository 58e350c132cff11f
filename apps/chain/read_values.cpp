// SPDX-License-Identifier: BSD-3-Clause
#include "read_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace chain {
namespace {

using namespace tessera;
using deck::Tree;
using operators::ParameterKind;
using operators::ParameterValue;

template <class Number>
std::optional<Number> number_in(const Tree& tree) {
  if (tree.kind != Tree::Kind::word || tree.quoted) return std::nullopt;
  std::string_view text = tree.text;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::vector<double>> numbers_in(const Tree& tree) {
  std::vector<double> numbers;
  if (tree.kind != Tree::Kind::list) {
    const auto number = number_in<double>(tree);
    return number ? std::optional(std::vector<double>{*number}) : std::nullopt;
  }
  for (const Tree& item : tree.items) {
    const auto number = number_in<double>(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<operators::Matrix> matrix_in(const Tree& tree) {
  if (tree.kind != Tree::Kind::list) return std::nullopt;
  if (const auto row = numbers_in(tree)) return operators::Matrix{*row};
  operators::Matrix rows;
  for (const Tree& item : tree.items) {
    const auto row = numbers_in(item);
    if (!row) return std::nullopt;
    rows.push_back(*row);
  }
  return rows;
}

std::optional<bool> boolean_in(const Tree& tree) {
  if (tree.kind != Tree::Kind::word || tree.quoted) return std::nullopt;
  for (const char* word : {"true", "yes", "on"})
    if (tree.text == word) return true;
  for (const char* word : {"false", "no", "off"})
    if (tree.text == word) return false;
  return std::nullopt;
}

template <class T>
std::optional<ParameterValue> as_value(const std::optional<T>& value) {
  return value ? std::optional<ParameterValue>(*value) : std::nullopt;
}

std::optional<ParameterValue> value_in(ParameterKind kind, const Tree& tree) {
  switch (kind) {
    case ParameterKind::boolean:
      return as_value(boolean_in(tree));
    case ParameterKind::integer:
      if (const auto whole = number_in<std::int64_t>(tree)) return ParameterValue(*whole);
      return as_value(number_in<double>(tree));
    case ParameterKind::number:
      return as_value(number_in<double>(tree));
    case ParameterKind::word:
      return tree.kind == Tree::Kind::word ? std::optional<ParameterValue>(tree.text) : std::nullopt;
    case ParameterKind::pair:
      if (const auto whole = number_in<std::int64_t>(tree)) return ParameterValue(*whole);
      return as_value(numbers_in(tree));
    case ParameterKind::list:
      return as_value(numbers_in(tree));
    case ParameterKind::matrix:
      break;
  }
  return as_value(matrix_in(tree));
}

}  // namespace

ParameterValue read_value(const operators::Parameter& parameter, const Tree& tree, const std::string& step) {
  const auto value = value_in(parameter.kind, tree);
  if (!value)
    fail(tree,
         fmt::format(
             "step '{}': '{}' is {}: it must be a {}{}", step, parameter.name, to_yaml(tree),
             name_of(parameter.kind),
             parameter.kind == ParameterKind::word ? "" : ", as [3, 5] is a pair and [1, 2, 1] a list"));
  return *value;
}

ElementType read_type(const Tree& tree, const std::string& owner) {
  for (const ElementType type : {ElementType::uint8, ElementType::uint16, ElementType::float32})
    if (tree.kind == Tree::Kind::word && tree.text == name_of(type)) return type;
  fail(tree, fmt::format("{}: the type is {}: it must be uint8, uint16 or float32", owner, to_yaml(tree)));
}

std::int64_t read_count(const Tree& tree, const std::string& owner, const std::string& name) {
  const auto count = number_in<std::int64_t>(tree);
  if (!count || *count < 1)
    fail(tree,
         fmt::format("{}: '{}' is {}: it must be a whole number of at least 1", owner, name, to_yaml(tree)));
  return *count;
}

std::vector<Operand> read_operands(const Tree& tree, const std::string& owner, const std::string& key) {
  std::vector<Operand> operands;
  const auto add = [&](const Tree& word) {
    if (word.kind != Tree::Kind::word || word.text.empty())
      fail(word,
           fmt::format("{0}: '{1}' is followed by the name of a step or input, or a list of names, as in "
                       "{{{1}: input}}",
                       owner, key));
    operands.push_back({word.text, word.location});
  };
  if (tree.kind == Tree::Kind::list && !tree.items.empty())
    for (const Tree& item : tree.items) add(item);
  else
    add(tree);
  return operands;
}

}  // namespace chain
