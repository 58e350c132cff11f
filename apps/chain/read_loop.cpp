// SPDX-License-Identifier: BSD-3-Clause
#include "read_loop.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "order.hpp"
#include "read_step.hpp"
#include "read_values.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/expressions/expression.hpp"

namespace chain {
namespace {

using namespace tessera;
using deck::Tree;

/// Returns the names of the steps of a loop.
std::vector<std::string> names_of(const Loop& loop) {
  std::vector<std::string> names;
  for (const Step& step : loop.steps) names.push_back(step.name);
  return names;
}

/// Returns the names in the condition of a loop. Throws InputError if the condition has an error.
std::vector<std::string> names_of_condition(const Step& step) {
  std::vector<std::string> names;
  if (step.loop->until.empty()) return names;
  try {
    const expressions::Expression condition = expressions::Expression(step.loop->until).as_condition();
    for (const auto& name : condition.names()) names.push_back(name.text);
  } catch (const expressions::ExpressionError& error) {
    throw InputError(fmt::format("{}: loop '{}': {}", step.loop->until_location, step.name, error.what()));
  }
  return names;
}

void read_entry(Loop& loop, const std::string& name, const Tree& key, const Tree& value,
                const std::set<std::string>& known_names) {
  const std::string owner = fmt::format("loop '{}'", name);
  const auto operand = [&] {
    const std::vector<Operand> operands = read_operands(value, owner, key.text);
    if (operands.size() != 1)
      fail(value, fmt::format("loop '{}': '{}' is the name of one step", name, key.text));
    return operands.front();
  };
  const std::vector<std::string> known = {"begin", "steps", "next", "turns", "until", "type"};
  if (key.text == "begin") {
    loop.begin = operand();
  } else if (key.text == "steps") {
    loop.steps = read_steps(value, fmt::format("'steps' of the loop '{}'", name), known_names);
  } else if (key.text == "next") {
    loop.next = operand();
  } else if (key.text == "turns") {
    loop.turns = read_count(value, owner, key.text);
  } else if (key.text == "type") {
    loop.type = read_type(value, owner);
    loop.has_type = true;
  } else if (key.text == "until") {
    if (value.kind != Tree::Kind::word || value.text.empty())
      fail(value, fmt::format("loop '{}': 'until' is an expression in quotes, such as 'change < 0.5'", name));
    loop.until = value.text;
    loop.until_location = value.location;
  } else {
    const std::string meant = suggestion(key.text, known);
    fail(key, fmt::format("loop '{}': unknown key '{}'{}", name, key.text,
                          meant.empty() ? fmt::format("; the keys are {}", fmt::join(known, ", ")) : meant));
  }
}

}  // namespace

Step read_loop(const Tree& name, const Tree& body, const std::set<std::string>& known_names) {
  check_name(name, "a loop");
  Step step{.name = name.text, .location = name.location};
  Loop loop;
  if (body.kind != Tree::Kind::map)
    fail(body, fmt::format("loop '{}': write {{begin: input, turns: 10, steps: {{...}}}}", name.text));
  for (std::size_t i = 0; i < body.keys.size(); ++i)
    read_entry(loop, name.text, body.keys[i], body.items[i], known_names);
  for (const char* needed : {"turns", "steps"})
    if (body.find(needed) == nullptr) fail(name, fmt::format("loop '{}' has no '{}'", name.text, needed));
  if (loop.begin.name.empty()) loop.begin = {main_input, name.location};
  if (loop.next.name.empty()) loop.next = {loop.steps.back().name, name.location};
  step.operands.push_back(loop.begin);
  const std::vector<std::string> own = names_of(loop);
  for (const Step& inner : loop.steps)
    for (const Operand& operand : inner.operands)
      if (operand.name != step.name && std::ranges::find(own, operand.name) == own.end())
        step.operands.push_back(operand);
  step.loop = std::make_shared<Loop>(std::move(loop));
  return step;
}

Step with_ordered_loop(const Step& step, const std::vector<std::string>& others) {
  Loop loop = *step.loop;
  const std::vector<std::string> own = names_of(loop);
  const auto is_own = [&](const std::string& name) { return std::ranges::find(own, name) != own.end(); };
  if (!is_own(loop.next.name))
    throw InputError(fmt::format("{}: loop '{}': 'next' is '{}', which is no step of the loop{}",
                                 loop.next.location, step.name, loop.next.name,
                                 suggestion(loop.next.name, own)));
  for (const std::string& name : names_of_condition(step))
    if (!is_own(name))
      throw InputError(fmt::format("{}: loop '{}': 'until' names '{}', which is no step of the loop{}",
                                   loop.until_location, step.name, name, suggestion(name, own)));
  std::vector<std::string> known = others;
  known.push_back(step.name);
  loop.steps = ordered(loop.steps, known);
  Step result = step;
  result.loop = std::make_shared<Loop>(std::move(loop));
  return result;
}

}  // namespace chain
