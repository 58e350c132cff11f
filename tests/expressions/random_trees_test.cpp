// SPDX-License-Identifier: BSD-3-Clause
// Random expressions with special numbers: their programs give what their nodes do, one by one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "pipeline/limited_instructions.hpp"
#include "tessera/expressions/expression_stage.hpp"

namespace {

using namespace tessera;
using expressions::Expression;
using expressions::ExpressionStage;
using expressions::Operation;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Pairs of these are the values of `a` and `b`.
constexpr float special[] = {nan,   infinity, -infinity, 0.0F,   -0.0F,  1.0F,
                             -1.0F, 0.5F,     2.5F,      254.5F, 300.0F, 1e-40F};
constexpr int special_count = static_cast<int>(std::size(special));
constexpr int width = special_count * special_count;

std::string random_tree(std::mt19937& random, int depth) {
  const auto one_of = [&random](const std::vector<std::string>& texts) {
    return texts[random() % texts.size()];
  };
  if (depth == 0 || random() % 6 == 0)
    return one_of(
        {"a", "b", "a", "b", "x", "0", "-0", "1", "0.5", "255", "sqrt(-1)", "exp(100)", "-exp(100)"});
  const std::string first = random_tree(random, depth - 1);
  const auto choice = random() % 10;
  if (choice < 2)
    return one_of({"-", "abs", "sqrt", "exp", "log", "floor", "ceil", "round"}) + "(" + first + ")";
  const std::string second = random_tree(random, depth - 1);
  if (choice < 6)
    return "(" + first + one_of({" + ", " - ", " * ", " / ", " < ", " <= ", " == ", " != ", " - "}) + second +
           ")";
  if (choice == 6) return one_of({"min", "max", "pow"}) + "(" + first + ", " + second + ")";
  const std::string third = random_tree(random, depth - 1);
  if (choice == 7) return "select(" + first + ", " + second + ", " + third + ")";
  if (choice == 8) return "clamp(" + first + " * " + second + " - " + third + ", 0, 255)";
  return "clamp(" + first + ", " + second + ", " + third + ")";
}

/// Computes an operation as its documentation says.
float computed(Operation operation, float a, float b, float c) {
  switch (operation) {
    case Operation::negate:
      return -a;
    case Operation::absolute:
      return std::fabs(a);
    case Operation::square_root:
      return std::sqrt(a);
    case Operation::exponential:
      return std::exp(a);
    case Operation::logarithm:
      return std::log(a);
    case Operation::floor:
      return std::floor(a);
    case Operation::ceil:
      return std::ceil(a);
    case Operation::round:
      return std::round(a);
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return std::pow(a, b);
    case Operation::minimum:
      return a < b ? a : b;
    case Operation::maximum:
      return a > b ? a : b;
    case Operation::less:
      return a < b ? 1.0F : 0.0F;
    case Operation::less_or_equal:
      return a <= b ? 1.0F : 0.0F;
    case Operation::equal:
      return a == b ? 1.0F : 0.0F;
    case Operation::not_equal:
      return a != b ? 1.0F : 0.0F;
    case Operation::select:
      return a != 0 ? b : c;
    case Operation::clamp:
      return computed(Operation::minimum, computed(Operation::maximum, a, b, 0), c, 0);
    default:
      ADD_FAILURE() << static_cast<int>(operation);
      return 0;
  }
}

/// Computes the nodes of an expression over `a`, `b` and `x` in their order.
float value_of_nodes(const Expression& expression, float a, float b, int x) {
  std::vector<float> values;
  for (const Expression::Node& node : expression.nodes()) {
    const auto argument = [&](int k) {
      return node.arguments[k] < 0 ? 0.0F : values[static_cast<std::size_t>(node.arguments[k])];
    };
    if (node.operation == Operation::constant)
      values.push_back(node.value);
    else if (node.operation == Operation::variable)
      values.push_back(expression.names()[static_cast<std::size_t>(node.name)].text == "a" ? a : b);
    else if (node.operation == Operation::column)
      values.push_back(static_cast<float>(x));
    else
      values.push_back(computed(node.operation, argument(0), argument(1), argument(2)));
  }
  return values.back();
}

/// Computes an expression over `a` and `b` for the pairs of special numbers in `columns`.
template <class T>
std::vector<T> values_of_program(const Expression& expression, Range columns) {
  std::vector<float> a, b;
  for (const float second : special)
    for (const float first : special) a.push_back(first), b.push_back(second);
  std::vector<ArrayReference> inputs;
  for (const Expression::Name& name : expression.names())
    inputs.push_back({reinterpret_cast<std::byte*>((name.text == "a" ? a : b).data()), {1, width, width, 0}});
  const Box domain{{0, width}, {0, 1}, {0, 1}};
  const ExpressionStage stage(expression,
                              std::vector<expressions::Operand>(inputs.size(), {ElementType::float32, 3}),
                              element_type_of<T>(), domain);
  std::vector<T> result(width);
  const ArrayReference output{reinterpret_cast<std::byte*>(result.data()), {1, width, width, 0}};
  stage.region(inputs.data(), &output, Box{columns, {0, 1}, {0, 1}}, {});
  return result;
}

/// Compares bits, except those of numbers that are not one, whose signs depend on the order of arguments.
bool is_same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

float rounded(float value) {
  return std::isnan(value)
             ? 0
             : static_cast<float>(std::floor(std::min(std::max(double(value), 0.0), 255.0) + 0.5));
}

TEST(RandomTrees, ProgramsGiveWhatTheNodesDo) {
  std::mt19937 random(11);
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_tree(random, 1 + i % 5);
    const test::LimitedInstructions limited(test::all_instruction_sets[i % 3]);
    // Rows are shorter than pieces, or end in parts of them.
    const Range columns = i % 4 == 0 ? Range{3, 4 + i % 140} : Range{0, width};
    std::vector<float> floats;
    std::vector<std::uint8_t> bytes;
    try {
      floats = values_of_program<float>(Expression(text), columns);
      bytes = values_of_program<std::uint8_t>(Expression(text), columns);
    } catch (const expressions::ExpressionError&) {
      continue;  // It divides by zero, or it is too long.
    }
    ++compared;
    const Expression expression(text);
    for (auto x = static_cast<int>(columns.begin); x < columns.end; ++x) {
      const float a = special[x % special_count], b = special[x / special_count];
      const float expected = value_of_nodes(expression, a, b, x);
      const auto at = static_cast<std::size_t>(x);
      ASSERT_TRUE(is_same(floats[at], expected))
          << text << " of " << a << ", " << b << ", " << x << " is " << floats[at] << ", not " << expected;
      ASSERT_EQ(static_cast<float>(bytes[at]), rounded(expected))
          << text << " of " << a << ", " << b << ", " << x;
    }
  }
  EXPECT_GT(compared, 2000);
}

}  // namespace
