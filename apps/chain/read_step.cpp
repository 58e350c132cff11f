// SPDX-License-Identifier: BSD-3-Clause
#include "read_step.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apply.hpp"
#include "read_values.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/expressions/expression.hpp"

namespace chain {
namespace {

using namespace tessera;
using deck::Tree;
using expressions::Expression;
using operators::Operator;

std::vector<std::string> operator_names() {
  std::vector<std::string> names{expression_word};
  for (const Operator& one : operators::all_operators()) names.push_back(one.name);
  return names;
}

bool is_operator(const std::string& word) {
  return std::ranges::any_of(operators::all_operators(),
                             [&](const Operator& one) { return one.name == word; });
}

/// Returns whether a value names a step or an input, or is a list that does.
bool has_known_name(const Tree& value, const std::set<std::string>& known_names) {
  return value.kind == Tree::Kind::word ? known_names.contains(value.text)
                                        : std::ranges::any_of(value.items, [&](const Tree& item) {
                                            return has_known_name(item, known_names);
                                          });
}

/// Throws InputError about a step that has no operator. What reads a step or an input is meant as one.
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

/// Throws InputError if commas divide an expression into several keys, as it has no quotes.
void check_quotes(const Step& step, const Tree& body) {
  const Tree& value = *body.find(expression_word);
  const bool is_divided = std::ranges::any_of(
      body.items, [&](const Tree& item) { return &item != &value && item.kind == Tree::Kind::nothing; });
  if (is_divided && value.kind == Tree::Kind::word && !value.quoted)
    fail(value, fmt::format("step '{}': put the expression in quotes", step.name));
}

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

void read_operator(Step& step, const Tree& body, std::size_t at) {
  step.operation = &operators::find_operator(body.keys[at].text);
  step.operands = read_operands(body.items[at], fmt::format("step '{}'", step.name), body.keys[at].text);
  std::vector<std::string> names;
  for (const operators::Parameter& parameter : step.operation->parameters) names.push_back(parameter.name);
  for (std::size_t i = 0; i < body.keys.size(); ++i) {
    const std::string& key = body.keys[i].text;
    if (i == at) continue;
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
