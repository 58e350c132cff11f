// SPDX-License-Identifier: BSD-3-Clause
#include "listing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "read_step.hpp"
#include "tessera/deck/schema.hpp"
#include "tessera/operators/registry.hpp"

namespace chain {
namespace {

using tessera::operators::Operator;

constexpr const char* expression_help = R"(expression (any images by their names)

Computes an arithmetic expression at each point. It names steps and inputs, and has numbers, pi, the
coordinates x, y and channel of the point, the extents width and height of the images, parentheses,
a + b, a - b, a * b, a / b, -a, a < b, a <= b, a > b, a >= b, a == b, a != b (1 or 0),
min(a, b, ...), max(a, b, ...), clamp(a, low, high), abs(a), sqrt(a), exp(a), log(a), pow(a, b),
floor(a), ceil(a), round(a), and select(condition, a, b). All arithmetic is that of float32.
round(a) rounds halves away from 0. If a is not a number, min(a, b) and max(a, b) are b, and clamp is low.
An expression may have 96 operations and 24 names.

Parameters:
  type: uint8, uint16, float32 (default: float32)
      The type of the result. Integers are rounded, halves to the greater one, and limited to the range of
      the type.

Example:
  bright: {expression: 'clamp(1.5 * clean - smooth, 0, 255)'}
)";

/// Returns a sentence without what stands in parentheses about the names of stages.
std::string without_stages(std::string sentence) {
  for (std::size_t name = 0; (name = sentence.find("<name>", name)) != std::string::npos;) {
    const std::size_t begin = sentence.rfind(" (", name), end = sentence.find(')', name);
    // The name may stand after parentheses, and not in them.
    if (begin == std::string::npos || end == std::string::npos || sentence.find(')', begin) != end) {
      ++name;
      continue;
    }
    sentence.erase(begin, end + 1 - begin);
    name = begin;
  }
  return sentence;
}

/// Returns the first sentence of a text, without what follows a colon and without the names of stages.
std::string first_sentence(const std::string& text) {
  std::string sentence = text.substr(0, text.find(". "));
  sentence = without_stages(sentence.substr(0, sentence.find(": ")));
  return sentence.ends_with('.') ? sentence : sentence + ".";
}

std::string list() {
  std::size_t width = std::string(expression_word).size();
  for (const Operator& one : tessera::operators::all_operators()) width = std::max(width, one.name.size());
  const auto line = [width](const std::string& operation, const std::string& help) {
    return fmt::format("  {:{}}  {}\n", operation, width, tessera::deck::wrapped(help, width + 4));
  };
  std::string text = "Operators of the steps of a chain; tessera-chain --operators NAME explains one\n",
              group;
  for (const Operator& one : tessera::operators::all_operators()) {
    if (one.group != group) text += fmt::format("\n{}:\n", group = one.group);
    text += line(one.name, first_sentence(one.help));
  }
  return text + "\nany:\n" +
         line(expression_word, "Computes an arithmetic expression of several images at each point.");
}

}  // namespace

std::string listing(const std::string& name) {
  if (name.empty()) return list();
  if (name == expression_word) return expression_help;
  return tessera::operators::explanation(tessera::operators::find_operator(name));
}

}  // namespace chain
