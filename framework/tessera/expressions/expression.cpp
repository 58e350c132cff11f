// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/expressions/expression.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/expressions/detail/parser.hpp"

namespace tessera::expressions {

Expression::Expression(const std::string& text) : text_(text) {
  detail::Parser parser(text, nodes_, names_);
  parser.parse();
}

Expression Expression::as_condition() const {
  const auto is_place = [](const Node& node) {
    return node.operation >= Operation::column && node.operation <= Operation::height;
  };
  if (std::ranges::any_of(nodes_, is_place))
    fail_at_column(text_, 1, "a condition is of numbers, and has neither coordinates nor extents");
  if (names_.empty()) fail_at_column(text_, 1, "a condition names a number that changes");
  Expression condition = *this;
  const int value = static_cast<int>(nodes_.size()) - 1;
  condition.nodes_.push_back({.operation = Operation::constant, .value = 0});
  condition.nodes_.push_back({.operation = Operation::not_equal, .arguments = {value, value + 1, -1}});
  return condition;
}

bool is_variable_name(std::string_view name) {
  return detail::is_name(name) && !detail::stands_for_itself(name);
}

void fail_at_column(const std::string& text, int column, const std::string& message) {
  const std::size_t at = static_cast<std::size_t>(column) - 1;
  constexpr std::size_t longest = 40;
  std::string rest = at < text.size() ? text.substr(at, longest) : "";
  if (at + longest < text.size()) rest += "...";
  const std::string where = rest.empty() ? "the end" : fmt::format("'{}'", rest);
  throw ExpressionError(fmt::format("{} at column {}: {}", message, column, where), column);
}

}  // namespace tessera::expressions
