// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/expressions/expression_stage.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace {

using namespace tessera;
using expressions::Expression;
using expressions::ExpressionStage;
using expressions::Operand;

/// An image of T on [0, width) x [0, height) x [0, planes).
template <class T>
struct Picture {
  Picture(int w, int h, int p) : width(w), height(h), values(static_cast<std::size_t>(w) * h * p) {}
  ArrayReference reference() {
    return {reinterpret_cast<std::byte*>(values.data()), {1, width, std::int64_t(width) * height, 0}};
  }
  T& operator()(int x, int y, int p) {
    return values[static_cast<std::size_t>((p * height + y) * width + x)];
  }
  int width, height;
  std::vector<T> values;
};

constexpr int width = 1100, height = 7, planes = 3;

/// Three images and a number, with random values.
struct Sample {
  Picture<std::uint8_t> bytes{width, height, planes};
  Picture<std::uint16_t> words{width, height, planes};
  Picture<float> floats{width, height, planes};
  Picture<float> flat{width, height, 1};
  double number = 12.5;

  Sample() {
    std::mt19937 random(7);
    for (auto& value : bytes.values) value = static_cast<std::uint8_t>(random());
    for (auto& value : words.values) value = static_cast<std::uint16_t>(random());
    for (auto& value : floats.values) value = static_cast<float>(random() % 2000) / 8 - 100;
    for (auto& value : flat.values) value = static_cast<float>(random() % 1000) / 256;
  }

  /// Computes `box` of an expression over `b`, `w`, `f`, `g` and `n`, in this order, for a result of T.
  template <class T>
  Picture<T> compute(const std::string& text, const Box& box, bool on_device, bool non_temporal = false) {
    const Expression expression(text);
    std::vector<ArrayReference> inputs;
    std::vector<Operand> operands;
    for (const Expression::Name& name : expression.names()) {
      if (name.text == "b") inputs.push_back(bytes.reference()), operands.push_back({ElementType::uint8, 3});
      if (name.text == "w") inputs.push_back(words.reference()), operands.push_back({ElementType::uint16, 3});
      if (name.text == "f")
        inputs.push_back(floats.reference()), operands.push_back({ElementType::float32, 3});
      if (name.text == "g") inputs.push_back(flat.reference()), operands.push_back({ElementType::float32, 2});
      if (name.text == "n")
        inputs.push_back({reinterpret_cast<std::byte*>(&number)}),
            operands.push_back({ElementType::float64, 1});
    }
    Picture<T> result(width, height, planes);
    ArrayReference output = result.reference();
    output.non_temporal = non_temporal;
    const ExpressionStage stage(expression, operands, element_type_of<T>(),
                                Box{{0, width}, {0, height}, {0, planes}});
    if (on_device)
      stage.launch(ExecutionSpace(), inputs.data(), &output, box);
    else
      stage.region(inputs.data(), &output, box, {});
    return result;
  }

  /// Compares the points of `box` with `expected(b, w, f, g, x, y, c)`, and all others with 0.
  template <class T, class Expected>
  void check(const std::string& text, const Box& box, const Expected& expected) {
    for (int way = 0; way < 3; ++way) {
      Picture<T> result = compute<T>(text, box, way == 1, way == 2);
      int wrong = 0;
      for (int c = 0; c < planes; ++c)
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x) {
            const bool inside = box[0].begin <= x && x < box[0].end && box[1].begin <= y && y < box[1].end &&
                                box[2].begin <= c && c < box[2].end;
            const T value = inside ? static_cast<T>(expected(bytes(x, y, c), words(x, y, c), floats(x, y, c),
                                                             flat(x, y, 0), float(x), float(y), float(c)))
                                   : T(0);
            wrong += std::memcmp(&value, &result(x, y, c), sizeof(T)) != 0;
          }
      EXPECT_EQ(wrong, 0) << text << ", way " << way;
    }
  }
};

float limited(float v, float low, float high) { return std::min(std::max(v, low), high); }

TEST(ExpressionStage, EqualsCxxBitByBit) {
  Sample sample;
  const Box whole{{0, width}, {0, height}, {0, planes}}, part{{3, 1031}, {2, 6}, {1, 3}},
      point{{5, 6}, {6, 7}, {2, 3}};
  for (const Box& box : {whole, part, point}) {
    sample.check<float>("b", box, [](float b, float, float, float, float, float, float) { return b; });
    sample.check<float>("f", box, [](float, float, float f, float, float, float, float) { return f; });
    sample.check<float>("2.5", box, [](float, float, float, float, float, float, float) { return 2.5F; });
    sample.check<float>(
        "clamp(1.5 * w - b, 0, 255)", box,
        [](float b, float w, float, float, float, float, float) { return limited(1.5F * w - b, 0, 255); });
    sample.check<float>("f * g + (f - n) * (f - n) / 3 - channel", box,
                        [](float, float, float f, float g, float, float, float c) {
                          return f * g + (f - 12.5F) * (f - 12.5F) / 3 - c;
                        });
    sample.check<float>("x * 2 + y - width / height", box,
                        [](float, float, float, float, float x, float y, float) {
                          return x * 2 + y - float(width) / float(height);
                        });
    sample.check<float>(
        "select(f > 20, sqrt(b), -abs(f)) + (b <= w) - (b == 3) + floor(f) - ceil(f) * round(g)", box,
        [](float b, float w, float f, float g, float, float, float) {
          return (f > 20 ? std::sqrt(b) : -std::abs(f)) + float(b <= w) - float(b == 3) + std::floor(f) -
                 std::ceil(f) * std::round(g);
        });
    sample.check<float>("exp(g) * pow(g + 1, 0.5) + log(g + 1)", box,
                        [](float, float, float, float g, float, float, float) {
                          return std::exp(g) * std::pow(g + 1, 0.5F) + std::log(g + 1);
                        });
  }
}

TEST(ExpressionStage, JoinedOperationsGiveTheSameBits) {
  Sample sample;
  const Box whole{{0, width}, {0, height}, {0, planes}};
  sample.check<float>("clamp(f * g + b, 5, 90) - clamp(f * g - w, -5, 90) * clamp(w - f * b, -7, 80)", whole,
                      [](float b, float w, float f, float g, float, float, float) {
                        return limited(f * g + b, 5, 90) -
                               limited(f * g - w, -5, 90) * limited(w - f * b, -7, 80);
                      });
  sample.check<float>("select(f < g, b, w) - select(f >= b, g, 3) * abs(f - b) + sqrt(f * f + g * g)", whole,
                      [](float b, float w, float f, float g, float, float, float) {
                        return (f < g ? b : w) - (f >= b ? g : 3) * std::abs(f - b) +
                               std::sqrt(f * f + g * g);
                      });
}

TEST(ExpressionStage, IntegersAreRoundedAndLimited) {
  Sample sample;
  const Box whole{{0, width}, {0, height}, {0, planes}};
  const auto rounded = [](float v, float most) { return std::floor(double(limited(v, 0, most)) + 0.5); };
  sample.check<std::uint8_t>(
      "f", whole, [&](float, float, float f, float, float, float, float) { return rounded(f, 255); });
  sample.check<std::uint16_t>("w * 1.25", whole, [&](float, float w, float, float, float, float, float) {
    return rounded(w * 1.25F, 65535);
  });
  sample.check<std::uint8_t>("0.49999997", whole,
                             [](float, float, float, float, float, float, float) { return 0; });
  sample.check<std::uint8_t>("sqrt(0 - 1)", whole,
                             [](float, float, float, float, float, float, float) { return 0; });
}

/// Returns the value of an expression over `a`, as float32.
float value_at(const std::string& text, float a) {
  const Expression expression(text);
  EXPECT_LE(expression.names().size(), 1U);
  const ExpressionStage stage(expression,
                              std::vector<Operand>(expression.names().size(), {ElementType::float32, 3}),
                              ElementType::float32, Box{{0, 1}, {0, 1}, {0, 1}});
  float result = 0;
  const ArrayReference input{reinterpret_cast<std::byte*>(&a), {1, 1, 1, 0}},
      output{reinterpret_cast<std::byte*>(&result), {1, 1, 1, 0}};
  stage.region(&input, &output, Box{{0, 1}, {0, 1}, {0, 1}}, {});
  return result;
}

TEST(ExpressionStage, ConstantsThatAreNotANumberEqualNoOthers) {
  EXPECT_TRUE(std::isnan(value_at("select(a > 100, a, log(-1))", 5)));
  EXPECT_EQ(value_at("select(a > 100, log(-1), a + 1)", 5), 6);
  EXPECT_TRUE(std::isnan(value_at("sqrt(a) + sqrt(-1)", 4)));
  EXPECT_TRUE(std::isnan(value_at("a * 2 + sqrt(0 - 1)", 4)));
}

TEST(ExpressionStage, LimitsOfFloatsAreKept) {
  EXPECT_EQ(value_at("clamp(a, 0, exp(100))", -3), 0);
  EXPECT_EQ(value_at("clamp(a, 0, 255)", 300), 255);
  EXPECT_EQ(value_at("clamp(a, 0, 65535)", -1), 0);
}

TEST(ExpressionStage, MinusZeroIsNotZero) {
  // One of the two products is -0 and the other one 0, whose reciprocals are infinite with different signs.
  EXPECT_TRUE(std::isnan(value_at("1 / (a * 0) + 1 / (a * -0)", 3)));
  EXPECT_FALSE(std::signbit(value_at("select(a > 2, 0, -0)", 3)));
  EXPECT_TRUE(std::signbit(value_at("select(a > 2, 0, -0)", 1)));
}

TEST(ExpressionStage, ComplexOperandsAreRefused) {
  const Box domain{{0, width}, {0, height}};
  for (const ElementType type : {ElementType::complex64, ElementType::complex128})
    EXPECT_THROW(ExpressionStage(Expression("a + b"), {{ElementType::float32, 2}, {type, 2}},
                                 ElementType::float32, domain),
                 InternalError);
}

TEST(ExpressionStage, NeedsTheSamePoints) {
  const ExpressionStage stage(Expression("a + b + c"),
                              {{ElementType::uint8, 3}, {ElementType::uint8, 2}, {ElementType::float64, 1}},
                              ElementType::float32, Box{{0, 9}, {0, 9}, {0, 3}});
  Box needs[3];
  stage.required(Box{{1, 4}, {2, 5}, {0, 2}}, needs);
  EXPECT_EQ(needs[0], (Box{{1, 4}, {2, 5}, {0, 2}}));
  EXPECT_EQ(needs[1], (Box{{1, 4}, {2, 5}}));
  EXPECT_EQ(needs[2], (Box{{0, 1}}));
}

}  // namespace
