// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/expressions/expression.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tessera/expressions/detail/program.hpp"

namespace {

using tessera::expressions::Expression;
using tessera::expressions::ExpressionError;
using tessera::expressions::is_variable_name;
using tessera::expressions::Operation;

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
  EXPECT_EQ(error_of("1.5 * clean - "), "expected a number or a name at column 15: the end");
  EXPECT_EQ(error_of("clamp(1.5 * , 0, 255)"), "expected a number or a name at column 13: ', 0, 255)'");
  EXPECT_EQ(error_of("(a + b"), "expected ')' at column 7: the end");
  EXPECT_EQ(error_of("a + b)"), "a parenthesis is closed that is not open at column 6: ')'");
  EXPECT_EQ(error_of("a b"), "expected an operator at column 3: 'b'");
  EXPECT_EQ(error_of("a / (2 - 2)"), "division by zero at column 5: '(2 - 2)'");
  EXPECT_EQ(error_of("claml(a, 0, 1)"),
            "no function is called 'claml'; did you mean 'clamp'? at column 1: 'claml(a, 0, 1)'");
  EXPECT_EQ(error_of("a + clamp(a, 0)"), "'clamp' takes 3 arguments, not 2 at column 5: 'clamp(a, 0)'");
  EXPECT_EQ(error_of("min(a)"), "'min' takes 2 arguments or more, not 1 at column 1: 'min(a)'");
  EXPECT_EQ(error_of("sqrt + 1"), "'sqrt' is a function: write sqrt(...) at column 1: 'sqrt + 1'");
  EXPECT_EQ(error_of("a ^ 2"), "a power is written pow(a, b): unexpected symbol at column 3: '^ 2'");
  EXPECT_EQ(error_of("a ** 2"), "a power is written pow(a, b): unexpected symbol at column 3: '** 2'");
  EXPECT_EQ(error_of("a = b"), "equality is written a == b: unexpected symbol at column 3: '= b'");
  EXPECT_EQ(error_of("(a = b)"), "equality is written a == b: unexpected symbol at column 4: '= b)'");
  EXPECT_EQ(error_of("a && b"),
            "'and' of conditions is written min(a, b): unexpected symbol at column 3: '&& b'");
  EXPECT_EQ(error_of("a || b"),
            "'or' of conditions is written max(a, b): unexpected symbol at column 3: '|| b'");
  EXPECT_EQ(error_of("a % 2"),
            "a remainder is written a - b * floor(a / b): unexpected symbol at column 3: '% 2'");
  EXPECT_EQ(error_of("!a"), "'not' of a condition is written a == 0: unexpected symbol at column 1: '!a'");
  EXPECT_EQ(error_of("0 < a < 1"),
            "a comparison has two sides; write min(a < b, b < c) for a < b < c: unexpected symbol at column "
            "7: '< 1'");
  EXPECT_EQ(error_of("1e999 * a"), "no float holds this number at column 1: '1e999 * a'");
  EXPECT_EQ(error_of("1e99 * a"), "no float holds this number at column 1: '1e99 * a'");
  EXPECT_EQ(error_of("2a"), "expected a number or a name at column 1: '2a'");
  EXPECT_EQ(error_of(""), "expected a number or a name at column 1: the end");
  const std::string nested(100, '(');
  EXPECT_EQ(error_of(nested), "nested deeper than 64 levels at column 65: '" + nested.substr(64) + "'");
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
  const std::string end = ": divide it into several steps";
  EXPECT_EQ(error(100, [](int i) { return "abs(a - " + std::to_string(i) + ")"; }),
            "the expression has more than 40 constants, names and intermediate results" + end);
  EXPECT_EQ(error(24, [](int i) { return "a" + std::to_string(i); }),
            "the expression has more than 24 names and coordinates" + end);
  EXPECT_EQ(error(97, [](int) { return "b"; }), "the expression has more than 96 operations" + end);
  EXPECT_EQ(error(5000, [](int) { return "b"; }),
            "the text has more than 4096 numbers, names and operations" + end);
  EXPECT_EQ(error(96, [](int) { return "b"; }), "no error");
}

}  // namespace
