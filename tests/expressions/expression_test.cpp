// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/expressions/expression.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "messages.hpp"
#include "tessera/expressions/detail/program.hpp"

namespace {

using tessera::expressions::Expression;
using tessera::expressions::ExpressionError;
using tessera::expressions::is_variable_name;
using tessera::expressions::Operation;
using tessera::test::expect_message;

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(Expression(text));
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "no error";
}

/// Returns the value of an expression without names.
float value_of(const std::string& text) {
  const Expression expression(text);
  EXPECT_EQ(expression.nodes().back().operation, Operation::constant) << text;
  return expression.nodes().back().value;
}

TEST(Expression, ConstantsAreComputedAtOnce) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("7 - 2 - 1"), 4);
  EXPECT_EQ(value_of("16 / 4 / 2"), 2);
  EXPECT_EQ(value_of("-2 - -3"), 1);
  EXPECT_EQ(value_of("+1.5e1 * .5"), 7.5F);
  EXPECT_EQ(value_of("max(1, 5, 3) + min(4, 2)"), 7);
  EXPECT_EQ(value_of("clamp(300, 0, 255)"), 255);
  EXPECT_EQ(value_of("select(2 > 1, abs(-4), 5)"), 4);
  EXPECT_EQ(value_of("1 < 2"), 1);
  EXPECT_EQ(value_of("2 <= 1"), 0);
  EXPECT_EQ(value_of("(3 >= 3) + (1 == 1) + (1 != 1)"), 2);
  EXPECT_EQ(value_of("pow(2, 10) + sqrt(16) + floor(-0.5) + ceil(0.5) + round(2.5)"), 1031);
  EXPECT_EQ(value_of("log(exp(0))"), 0);
  EXPECT_FLOAT_EQ(value_of("pi"), 3.14159265F);
  // Numbers that are too small for a float or for a double are 0.
  EXPECT_EQ(value_of("1e-50"), 0);
  EXPECT_EQ(value_of("1e-400"), 0);
}

TEST(Expression, NamesAreListedOnceInOrder) {
  const Expression expression("b_1 * (A + b_1) - c");
  ASSERT_EQ(expression.names().size(), 3U);
  EXPECT_EQ(expression.names()[0].text, "b_1");
  EXPECT_EQ(expression.names()[1].text, "A");
  EXPECT_EQ(expression.names()[1].column, 8);
  EXPECT_EQ(expression.names()[2].column, 19);
  EXPECT_TRUE(is_variable_name("clean"));
  for (const char* name : {"x", "y", "channel", "width", "height", "pi", "max", "", "1a", "a-b", "a.b"})
    EXPECT_FALSE(is_variable_name(name)) << name;
}

TEST(Expression, ErrorsTellTheColumn) {
  expect_message(error_of("1.5 * clean - "), {"expected a number", "column 15:"});
  expect_message(error_of("clamp(1.5 * , 0, 255)"), {"expected a number", "column 13", "', 0, 255)'"});
  expect_message(error_of("(a + b"), {"expected", "')'", "column 7"});
  expect_message(error_of("a + b)"), {"parenthesis is closed", "not open", "')'"});
  expect_message(error_of("a b"), {"expected an operator", "column 3", "'b'"});
  expect_message(error_of("a / (2 - 2)"), {"division by zero", "column 5", "'(2 - 2)'"});
  expect_message(error_of("claml(a, 0, 1)"), {"'claml'", "did you", "mean 'clamp'?"});
  expect_message(error_of("a + clamp(a, 0)"), {"'clamp'", "3 arguments", "column 5"});
  expect_message(error_of("min(a)"), {"'min'", "2 arguments", "column 1"});
  expect_message(error_of("sqrt + 1"), {"'sqrt'", "write sqrt(...)", "column 1"});
  expect_message(error_of("a ^ 2"), {"power is written", "unexpected symbol", "'^ 2'"});
  expect_message(error_of("a ** 2"), {"power is written", "unexpected symbol", "'** 2'"});
  expect_message(error_of("a = b"), {"equality is written", "unexpected symbol", "'= b'"});
  expect_message(error_of("(a = b)"), {"equality is written", "unexpected symbol", "'= b)'"});
  expect_message(error_of("a && b"), {"'and'", "conditions is written", "unexpected symbol"});
  expect_message(error_of("a || b"), {"'or'", "conditions is written", "unexpected symbol"});
  expect_message(error_of("a % 2"), {"floor(a / b)", "unexpected symbol", "'% 2'"});
  expect_message(error_of("!a"), {"'not'", "condition is written", "unexpected symbol"});
  expect_message(error_of("0 < a < 1"), {"two sides", "unexpected symbol", "'< 1'"});
  expect_message(error_of("1e999 * a"), {"float holds", "column 1", "'1e999 * a'"});
  expect_message(error_of("1e99 * a"), {"float holds", "column 1", "'1e99 * a'"});
  expect_message(error_of("2a"), {"expected a number", "column 1", "'2a'"});
  expect_message(error_of(""), {"expected a number", "column 1:", "the end"});
  const std::string nested(100, '(');
  expect_message(error_of(nested), {"nested deeper", "64 levels", nested.substr(64)});
}

TEST(Expression, ConditionsCompareWithZero) {
  const Expression condition = Expression("a - 1").as_condition();
  EXPECT_EQ(condition.nodes().back().operation, Operation::not_equal);
  EXPECT_EQ(condition.names().front().column, 1);
  for (const char* text : {"1", "x", "a < width", "0 * channel + a"})
    EXPECT_THROW(Expression(text).as_condition(), ExpressionError) << text;
}

TEST(Program, EqualPartsAreComputedOnceAndProductsAreJoinedWithSums) {
  const auto count = [](const std::string& text) {
    return tessera::expressions::detail::compile(Expression(text)).instruction_count;
  };
  EXPECT_EQ(count("a"), 0);
  EXPECT_EQ(count("1.5 * a - b"), 1);
  EXPECT_EQ(count("b - 1.5 * a"), 1);
  EXPECT_EQ(count("(a - b) * (a - b)"), 2);
  EXPECT_EQ(count("a * b + a * b"), 2);
  EXPECT_EQ(count("clamp(1.5 * a - b, 0, 255)"), 1);
  EXPECT_EQ(count("clamp(b - 1.5 * a, 0, 255) + clamp(2 * a + b, 0, 255)"), 3);
  EXPECT_EQ(count("select(a < b, a, 3) + abs(a - b)"), 3);
  EXPECT_EQ(count("select(a < b, a, 3) + (a < b)"), 3);
  EXPECT_EQ(count("sqrt(a * a + b * b)"), 2);
  EXPECT_EQ(count("1 * 3 / 3"), 0);
}

TEST(Program, LongExpressionsAreRefused) {
  const auto error = [](int terms, const std::function<std::string(int)>& term) -> std::string {
    std::string sum = "a";
    for (int i = 0; i < terms; ++i) sum += " + " + term(i);
    try {
      tessera::expressions::detail::compile(Expression(sum));
    } catch (const ExpressionError& thrown) {
      const std::string message = thrown.what();
      return message.substr(0, message.find(" at column"));
    }
    return "no error";
  };
  expect_message(error(100, [](int i) { return "abs(a - " + std::to_string(i) + ")"; }),
                 {"intermediate results", "into several"});
  expect_message(error(24, [](int i) { return "a" + std::to_string(i); }),
                 {"names and coordinates", "into several"});
  expect_message(error(97, [](int) { return "b"; }), {"96 operations", "into several"});
  expect_message(error(5000, [](int) { return "b"; }), {"names and operations", "into several"});
  EXPECT_EQ(error(96, [](int) { return "b"; }), "no error");
}

}  // namespace
