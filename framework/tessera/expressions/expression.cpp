// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/expressions/expression.hpp"

#include <fmt/format.h>

#include "tessera/expressions/detail/parser.hpp"

namespace tessera::expressions {

Expression::Expression(const std::string& text) : text_(text) {
  detail::Parser parser(text, nodes_, names_);
  parser.parse();
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
