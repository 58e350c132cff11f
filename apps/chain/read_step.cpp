// SPDX-License-Identifier: BSD-3-Clause
#include "read_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "build.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/expressions/expression.hpp"

namespace chain {
namespace {

using namespace tessera;
using deck::Tree;
using expressions::Expression;
using operators::Operator, operators::ParameterKind, operators::ParameterValue;

/// Returns the number that is written in `tree`, or nothing if it is not a finite number.
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

/// Returns the numbers of a list, or a single number, or nothing if `tree` is neither.
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

/// Returns a list of rows, or a list of numbers as a single row, or nothing if `tree` is neither.
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

/// Returns the value of a parameter of some kind, or nothing if `tree` does not have its form. An integer may
/// have a fraction: the operator refuses it, and says which values it takes.
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

/// Returns the value of a parameter as the deck gives it. Whether the value is permitted is checked when the
/// operator is applied. Throws InputError if the value does not have the form of the parameter.
ParameterValue read_value(const operators::Parameter& parameter, const Tree& tree, const std::string& step) {
  const auto value = value_in(parameter.kind, tree);
  if (!value)
    fail(tree,
         fmt::format(
             "step '{}': '{}' is {}: it must be a {}{}", step, parameter.name, to_yaml(tree),
             name_of(parameter.kind),
             parameter.kind == ParameterKind::word ? "" : ", where [3, 5] is a pair and [1, 2, 1] a list"));
  return *value;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names{expression_word};
  for (const Operator& one : operators::all_operators()) names.push_back(one.name);
  return names;
}

bool is_operator(const std::string& word) {
  return std::ranges::any_of(operators::all_operators(),
                             [&](const Operator& one) { return one.name == word; });
}

/// Returns whether a value is a known name of a step or an input, or a list that has such a name.
bool has_known_name(const Tree& value, const std::set<std::string>& known_names) {
  return value.kind == Tree::Kind::word ? known_names.contains(value.text)
                                        : std::ranges::any_of(value.items, [&](const Tree& item) {
                                            return has_known_name(item, known_names);
                                          });
}

/// Throws InputError about a step that has no known operator. The key whose value names a step or an input is
/// taken as a misspelt operator. If there is none, the name of the step is taken as a misspelt name of
/// another step if there is a similar one, and otherwise the first key as a misspelt operator.
[[noreturn]] void fail_without_operator(const Tree& name, const Tree& body,
                                        const std::set<std::string>& known_names) {
  if (body.keys.empty()) fail(body, fmt::format("step '{}' has no operator", name.text));
  std::size_t meant = 0;
  while (meant < body.items.size() && !has_known_name(body.items[meant], known_names)) ++meant;
  if (meant == body.items.size()) {
    std::vector<std::string> others(known_names.begin(), known_names.end());
    std::erase(others, name.text);
    if (const std::string step = suggestion(name.text, others); !step.empty())
      fail(body.keys.front(), fmt::format("step '{}' has no operator{}", name.text, step));
    meant = 0;
  }
  const Tree& key = body.keys[meant];
  const std::string similar = suggestion(key.text, operator_names());
  fail(key, fmt::format("step '{}': there is no operator '{}'{}", name.text, key.text,
                        similar.empty() ? "; tessera-chain --operators lists them" : similar));
}

/// Throws InputError if an expression has no quotes, and its commas therefore divide it into several keys.
void check_quotes(const Step& step, const Tree& body) {
  const Tree& value = *body.find(expression_word);
  const bool is_divided = std::ranges::any_of(
      body.items, [&](const Tree& item) { return &item != &value && item.kind == Tree::Kind::nothing; });
  if (is_divided && value.kind == Tree::Kind::word && !value.quoted)
    fail(value, fmt::format("step '{}': put the expression in quotes", step.name));
}

/// Reads a step that is an expression from `body`: its text, the names in it, and the type.
void read_expression(Step& step, const Tree& body) {
  check_quotes(step, body);
  for (std::size_t i = 0; i < body.keys.size(); ++i) {
    const Tree &key = body.keys[i], &value = body.items[i];
    if (key.text == "type") {
      step.type = read_type(value, fmt::format("step '{}'", step.name));
    } else if (key.text != expression_word) {
      fail(key, fmt::format("step '{}': an expression has no parameter '{}'{}", step.name, key.text,
                            is_operator(key.text) ? ", and a step has one operator" : "; it has 'type'"));
    } else if (value.kind != Tree::Kind::word) {
      fail(value,
           fmt::format("step '{}': an expression is a text in quotes, such as '2 * a - b'", step.name));
    } else {
      step.expression = value.text;
      try {
        const Expression expression(value.text);
        for (const Expression::Name& name : expression.names())
          step.operands.push_back({name.text, value.location});
      } catch (const expressions::ExpressionError& error) {
        fail(value, fmt::format("step '{}': {}", step.name, error.what()));
      }
    }
  }
}

/// Reads a step from `body`, whose key number `position` is the operator: its operands and parameters.
void read_operator(Step& step, const Tree& body, std::size_t position) {
  const std::string& operator_name = body.keys[position].text;
  step.operation = &operators::find_operator(operator_name);
  step.operands = read_operands(body.items[position], fmt::format("step '{}'", step.name), operator_name);
  std::vector<std::string> names;
  for (const operators::Parameter& parameter : step.operation->parameters) names.push_back(parameter.name);
  for (std::size_t i = 0; i < body.keys.size(); ++i) {
    const std::string& key = body.keys[i].text;
    if (i == position) continue;
    const auto found = std::ranges::find(names, key);
    if (found != names.end()) {
      const auto& parameter = step.operation->parameters[static_cast<std::size_t>(found - names.begin())];
      step.settings.push_back({key, read_value(parameter, body.items[i], step.name), body.items[i].location});
      continue;
    }
    if (is_operator(key) || key == expression_word)
      fail(body.keys[i], fmt::format("step '{}' has two operators, {} and {}: make two steps of it",
                                     step.name, step.operation->name, key));
    const std::string meant = suggestion(key, names);
    fail(body.keys[i],
         fmt::format("step '{}': {} has no parameter '{}'{}", step.name, step.operation->name, key,
                     !meant.empty()  ? meant
                     : names.empty() ? "; it has none"
                                     : fmt::format("; it has {}", fmt::join(names, ", "))));
  }
}

}  // namespace

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

void check_name(const Tree& name, const std::string& what) {
  if (!expressions::is_variable_name(name.text))
    fail(name, fmt::format(
                   "'{}' cannot be the name of {}: a name has letters, digits and '_', begins with no digit, "
                   "and means nothing else in expressions",
                   name.text, what));
}

Step read_step(const Tree& name, const Tree& body, const std::set<std::string>& known_names) {
  check_name(name, "a step");
  Step step{.name = name.text, .location = name.location};
  if (body.kind != Tree::Kind::map)
    fail(body,
         fmt::format("step '{}': write an operator and what it reads, as in {{gaussian: input, sigma: 2}}",
                     name.text));
  for (std::size_t i = 0; i < body.keys.size(); ++i) {
    if (body.keys[i].text == expression_word) {
      read_expression(step, body);
      return step;
    }
    if (!is_operator(body.keys[i].text)) continue;
    read_operator(step, body, i);
    check_operator(step);
    return step;
  }
  fail_without_operator(name, body, known_names);
}

std::vector<Step> read_steps(const Tree& block, const std::string& what,
                             const std::set<std::string>& known_names) {
  if (block.kind != Tree::Kind::map || block.keys.empty())
    fail(block, fmt::format("{} is a block of steps, such as 'smooth: {{gaussian: input}}'", what));
  std::vector<Step> steps;
  for (std::size_t i = 0; i < block.keys.size(); ++i)
    steps.push_back(read_step(block.keys[i], block.items[i], known_names));
  return steps;
}

}  // namespace chain
