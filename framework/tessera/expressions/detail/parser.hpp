// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/expressions/expression.hpp"

namespace tessera::expressions::detail {

/// Returns whether a word consists of letters, digits and `_`, and does not begin with a digit.
bool is_name(std::string_view word);

/// Returns whether a name has a meaning of its own in expressions: a coordinate, a constant or a function.
bool stands_for_itself(std::string_view name);

/// Reads an expression by recursive descent.
class Parser {
 public:
  /// Makes a parser that appends to `nodes` and `names`. All arguments must outlive the parser.
  Parser(const std::string& text, std::vector<Expression::Node>& nodes, std::vector<Expression::Name>& names)
      : text_(text), nodes_(nodes), names_(names) {}

  /// Reads the whole text. The last node is the result. Throws ExpressionError (see Expression).
  void parse();

 private:
  // Each of these functions reads what its name says, and returns the index of its node.
  int comparison();
  int sum();
  int product();
  int factor();
  int primary();
  int number();
  int named();
  int call(const std::string& name, int column);

  std::vector<int> arguments();
  int variable(const std::string& name, int column);
  int add(Operation operation, const std::vector<int>& arguments);
  int add_constant(float value);
  bool is_constant(int node) const;
  int divided(int a, int b, int column);

  std::string word();
  void skip_blanks();
  bool take(std::string_view symbol);
  void expect(char symbol);
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  int column() const { return static_cast<int>(at_) + 1; }
  [[noreturn]] void fail(const std::string& message) const { fail_at_column(text_, column(), message); }

  /// Fails at a symbol that cannot stand here: with a hint if other languages have it, or else as
  /// `otherwise`.
  [[noreturn]] void fail_at_symbol(const std::string& otherwise) const;

  const std::string& text_;
  std::vector<Expression::Node>& nodes_;
  std::vector<Expression::Name>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace tessera::expressions::detail
