// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "tessera/operators/registry.hpp"

namespace tessera::operators {
namespace {

/// Returns the kind of a parameter with what is permitted, such as "odd whole number from 1 to 31, pixels".
std::string kind_text(const Parameter& parameter) {
  std::string text(parameter.odd ? "odd " : "");
  if (parameter.kind == ParameterKind::word)
    text += fmt::format("{}", fmt::join(parameter.choices, ", "));
  else
    text += name_of(parameter.kind);
  if (!std::isinf(parameter.least)) text += fmt::format(", from {}", parameter.least);
  if (!std::isinf(parameter.greatest))
    text += fmt::format("{} to {}", std::isinf(parameter.least) ? "," : "", parameter.greatest);
  return parameter.unit.empty() ? text : text + " " + parameter.unit;
}

std::string default_text(const Parameter& parameter) {
  return parameter.default_value ? to_string(*parameter.default_value) : "required";
}

/// Returns what becomes of the types that an operator takes, such as "uint8, uint16: the same".
std::string types_text(const Operator& described) {
  std::vector<std::string> same, others;
  for (const TypeRule& rule : described.types) {
    if (rule.result == tessera::name_of(rule.taken))
      same.emplace_back(rule.result);
    else
      others.push_back(fmt::format("{} becomes {}", tessera::name_of(rule.taken), rule.result));
  }
  if (!same.empty()) others.insert(others.begin(), fmt::format("{} stay", fmt::join(same, ", ")));
  return fmt::format("{}", fmt::join(others, "; "));
}

/// Returns the inputs, those that may be left out in brackets.
std::string inputs_text(const Operator& described) {
  std::string text;
  for (std::size_t i = 0; i < described.inputs.size(); ++i) {
    const bool optional = static_cast<int>(i) >= described.required_inputs;
    text += (i > 0 ? ", " : "") + (optional ? "[" + described.inputs[i] + "]" : described.inputs[i]);
  }
  return text;
}

}  // namespace

std::string documentation() {
  std::string text, group;
  for (const Operator& one : all_operators()) {
    if (one.group != group) text += fmt::format("\n## {}\n", group = one.group);
    text += fmt::format("\n**{}** ({}): {} Types: {}. `{}`\n", one.name, inputs_text(one), one.help,
                        types_text(one), one.example);
    if (!one.parameters.empty()) text += "\n";
    for (const Parameter& parameter : one.parameters)
      text += fmt::format("* `{}` ({}; {}): {}\n", parameter.name, kind_text(parameter),
                          default_text(parameter), parameter.help);
  }
  return text;
}

std::string explanation(const Operator& described) {
  std::string text = fmt::format("{} ({})\n\n{}\n\nTypes: {}.\n", described.name, inputs_text(described),
                                 described.help, types_text(described));
  if (!described.parameters.empty()) text += "\nParameters:\n";
  for (const Parameter& parameter : described.parameters)
    text += fmt::format("  {}: {} (default: {})\n      {}\n", parameter.name, kind_text(parameter),
                        default_text(parameter), parameter.help);
  return text + fmt::format("\nExample:\n  {}\n", described.example);
}

}  // namespace tessera::operators
