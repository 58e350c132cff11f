// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/registry.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "tessera/domain/text.hpp"
#include "tessera/operators/detail/entry.hpp"

namespace tessera::operators {
namespace {

std::vector<Operator> collected() {
  std::vector<Operator> all;
  const auto add = [&all](const char* group, std::vector<Operator> (*family)()) {
    for (Operator& one : family()) all.emplace_back(std::move(one)).group = group;
  };
  add("Points", detail::arithmetic_operators);
  add("Points", detail::tone_operators);
  add("Convolutions, gradients and edges", detail::convolution_operators);
  add("Neighbourhoods", detail::neighbourhood_operators);
  add("Geometry", detail::geometry_operators);
  add("Colour", detail::colour_operators);
  add("Whole images", detail::global_operators);
  return all;
}

}  // namespace

const std::vector<Operator>& all_operators() {
  static const std::vector<Operator> all = collected();
  return all;
}

const Operator& find_operator(std::string_view name) {
  std::vector<std::string> names;
  for (const Operator& one : all_operators()) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  throw InputError(fmt::format("there is no operator '{}'{}", name, suggestion(name, names)));
}

namespace {

/// Returns the kind of a parameter and its permitted values, such as "odd whole number from 1 to 31, pixels".
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
  if (parameter.optional) return "none";
  return parameter.default_value ? to_string(*parameter.default_value) : "required";
}

/// Returns the types that an operator takes and those of its results, such as "uint8, uint16 stay".
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

/// Returns the inputs. Brackets surround inputs that may be left out.
std::string inputs_text(const Operator& described) {
  std::string text;
  for (std::size_t i = 0; i < described.inputs.size(); ++i) {
    const bool optional = static_cast<int>(i) >= described.required_inputs;
    text += (i > 0 ? ", " : "") + (optional ? "[" + described.inputs[i] + "]" : described.inputs[i]);
  }
  return text;
}

/// Returns a text of help in Markdown, where names of stages such as <name>_x are code.
std::string in_markdown(const std::string& text) {
  constexpr std::string_view name = "<name>";
  const auto is_in_word = [](unsigned char letter) { return letter == '_' || std::isalnum(letter) != 0; };
  std::string marked;
  std::size_t done = 0;
  for (std::size_t begin; (begin = text.find(name, done)) != std::string::npos;) {
    std::size_t end = begin + name.size();
    while (end < text.size() && is_in_word(static_cast<unsigned char>(text[end]))) ++end;
    marked += text.substr(done, begin - done) + "`" + text.substr(begin, end - begin) + "`";
    done = end;
  }
  return marked + text.substr(done);
}

}  // namespace

std::string documentation() {
  std::string text =
      "# Operators on images\n\nWritten by `scripts/operators` from the registry of operators: change that, "
      "not this page.\n\nAn image has the dimensions (x, y) or (x, y, channel), and the type uint8, uint16 "
      "or float32. Channels are computed alike, unless an operator says otherwise. In C++, "
      "`operators::median(pipeline, image, {.window = {5, 5}})` adds an operator to a pipeline "
      "(`tessera/operators/operators.hpp`, library `Tessera::operators`); `{median: a, window: [5, 5]}` is "
      "the same as a step of a chain.\n\n* Results of integers are rounded to the nearest integer, where "
      "halves become the greater one, and limited to the range of the type. OpenCV rounds halves to even "
      "numbers.\n* Sums of products are of float32, and rounded once, at the end.\n* Every image ends at its "
      "borders. The parameter `border` of an operator says what it reads beyond them: the nearest point "
      "(`clamp`), the mirror image with or without the edge repeated (`mirror`, `mirror_interior`), 0 "
      "(`constant`), or the opposite end (`periodic`). In this order scipy.ndimage calls them `nearest`, "
      "`reflect`, `mirror`, `constant` and `wrap`, and OpenCV REPLICATE, REFLECT, REFLECT_101, CONSTANT and "
      "WRAP. The default is most often `clamp`; that of scipy.ndimage is `reflect`, and that of OpenCV "
      "REFLECT_101.\n* An operator that has the parameter `border` bounds the array of its image "
      "(`Pipeline::bound`), so that your own stages read the same values beyond its borders. If the array "
      "has other values there already, or is an output, the operator adds a copy, `<name>_border`.\n* The "
      "last stage of an operator has the name of the step. Others have names that begin with it.\n* The same "
      "bits come from every schedule and any number of ranks and threads.\n* Tests compare each operator "
      "with OpenCV, scipy.ndimage, scikit-image or numpy, or with a formula if none of these has the "
      "operator (`tests/operators/peers`). The text of an operator says where its definition differs from "
      "theirs.\n\nFor each operator the list gives the images that it takes, with brackets around those that "
      "may be left out; what it computes; the types; an example; and its parameters, with the permitted "
      "values and the default.\n";
  std::string group;
  for (const Operator& one : all_operators()) {
    if (one.group != group) text += fmt::format("\n## {}\n\n", group = one.group);
    text += fmt::format("* **{}** ({}): {} Types: {}. `{}`\n", one.name, inputs_text(one),
                        in_markdown(one.help), types_text(one), one.example);
    for (const Parameter& parameter : one.parameters)
      text += fmt::format("  * `{}` ({}; {}): {}\n", parameter.name, kind_text(parameter),
                          default_text(parameter), in_markdown(parameter.help));
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
