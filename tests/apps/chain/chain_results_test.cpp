// SPDX-License-Identifier: BSD-3-Clause
// Chains against the same computed by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chain_support.hpp"
#include "tessera/app/image_application.hpp"

namespace {

using namespace tessera;
using test::Numbers;
using test::Random;

Numbers result_of(const std::string& text, const Numbers& image, Random& random) {
  const chain::Chain chain = test::chain_of(text);
  const chain::BuiltChain built = chain::build(chain, image.type, image.array.box, {chain.output});
  const Numbers plain = test::run_chain(built.pipeline, {}, 1, 1, {{"input", image}}).at(chain.output);
  for (int k = 0; k < 5; ++k) {
    const Schedule schedule = test::random_schedule(random, built.pipeline);
    const int ranks = random.small(1, 16);
    const Numbers again =
        test::run_chain(built.pipeline, schedule, ranks, random.small(1, 2), {{"input", image}})
            .at(chain.output);
    EXPECT_TRUE(again.array.same_bits(plain.array)) << text << test::to_string(schedule) << " on " << ranks;
  }
  return plain;
}

TEST(ChainResults, AnExpression) {
  Random random(1);
  const Numbers image = test::random_numbers(random, ElementType::uint8, Box{{0, 33}, {0, 21}});
  const Numbers result = result_of(
      "steps:\n"
      "  a: {expression: 'clamp(1.5 * input - x, 0, 255)'}\n"
      "  b: {expression: 'a / 2 + y * pi', type: uint16}\n",
      image, random);
  EXPECT_EQ(result.type, ElementType::uint16);
  test::for_each_point(image.array.box, [&](const Point& p) {
    const float a = std::min(std::max(1.5F * float(image.array.at(p)) - float(p[0]), 0.0F), 255.0F);
    const float b = a / 2 + float(p[1]) * 3.14159265358979323846F;
    EXPECT_EQ(result.array.at(p), std::floor(b + 0.5)) << p[0] << ", " << p[1];
  });
}

TEST(ChainResults, OnlyWhatTheOutputNeedsIsComputed) {
  const chain::Chain chain = test::chain_of(
      "steps:\n"
      "  a: {invert: input}\n"
      "  b: {invert: a}\n"
      "  c: {invert: a}\n"
      "output: {step: b}\n");
  EXPECT_EQ(chain::needed_by(chain, {"b"}), (std::set<std::string>{"a", "b", "input"}));
  EXPECT_EQ(chain::build(chain, ElementType::uint8, Box{{0, 4}, {0, 4}}, {"b"}).pipeline.size(), 3);
  EXPECT_EQ(chain::build(chain, ElementType::uint8, Box{{0, 4}, {0, 4}}, {"b", "c"}).pipeline.size(), 4);
}

TEST(ChainResults, Loops) {
  Random random(2);
  const Numbers image = test::random_numbers(random, ElementType::uint8, Box{{0, 17}, {0, 9}});
  const Numbers result = result_of(
      "repeat:\n"
      "  u: {turns: 5, type: float32, steps: {half: {expression: 'u / 2'}, next: {expression: 'half + 1'}}}\n"
      "steps:\n"
      "  v: {expression: 'u * 4'}\n",
      image, random);
  test::for_each_point(image.array.box, [&](const Point& p) {
    float u = static_cast<float>(image.array.at(p));
    for (int turn = 0; turn < 5; ++turn) u = u / 2 + 1;
    EXPECT_EQ(result.array.at(p), u * 4);
  });
}

TEST(ChainResults, StepsOfLoopsBelongToNoOtherStep) {
  const chain::Chain chain = test::chain_of(
      "repeat:\n"
      "  u: {turns: 2, type: float32, steps: {u_less: {gaussian: u, sigma: 1}}}\n");
  const chain::BuiltChain built = chain::build(chain, ElementType::uint8, Box{{0, 9}, {0, 9}}, {"u"});
  EXPECT_EQ(app::stages_of_steps(built.pipeline, chain::names_of_steps(chain.steps)),
            (std::map<std::string, std::string>{{"u_less_x", "u_less"}}));
}

TEST(ChainResults, LoopsEndWhenTheirConditionHolds) {
  Random random(4);
  const Numbers image = test::random_numbers(random, ElementType::uint8, Box{{0, 17}, {0, 9}});
  const Numbers result = result_of(
      "repeat:\n"
      "  u: {turns: 50, type: float32, steps: {v: {expression: 'u / 2'}, most: {greatest: v}}, next: v, "
      "until: 'most < 3'}\n",
      image, random);
  double factor = 1, most = 0;
  for (const double value : image.array.values) most = std::max(most, value);
  do factor /= 2;
  while (!(most * factor < 3));
  test::for_each_point(image.array.box,
                       [&](const Point& p) { EXPECT_EQ(result.array.at(p), image.array.at(p) * factor); });
}

TEST(ChainResults, ProgramsAreWrittenForChainsOfAllKindsOfImages) {
  const auto is_written = [](const std::string& text) {
    return chain::cpp_of(test::chain_of(text), "made").find("int main") != std::string::npos;
  };
  EXPECT_TRUE(is_written("steps: {a: {abs: input}}"));
  EXPECT_TRUE(is_written("steps: {a: {channel: input, index: 3}, b: {invert: a}}"));
  EXPECT_TRUE(is_written("steps: {part: {crop: input, size: [20000, 20000]}}"));
}

TEST(ChainResults, NumbersAreOutputs) {
  const chain::Chain chain = test::chain_of(
      "steps:\n"
      "  used: {mean: input}\n"
      "  a: {expression: 'input - used'}\n"
      "  b: {invert: a}\n"
      "  unused: {greatest: b}\n"
      "output: {step: a}\n");
  const chain::BuiltChain built = chain::build(chain, ElementType::uint8, Box{{0, 4}, {0, 4}}, {"a"});
  EXPECT_EQ(built.numbers, std::vector<std::string>{"unused"});
  Random random(5);
  const Numbers image = test::random_numbers(random, ElementType::uint8, Box{{0, 4}, {0, 4}});
  const auto results = test::run_chain(built.pipeline, {}, 3, 1, {{"input", image}});
  double sum = 0;
  for (const double value : image.array.values) sum += value;
  const auto mean = static_cast<float>(sum / 16);
  test::for_each_point(image.array.box, [&](const Point& p) {
    EXPECT_EQ(results.at("a").array.at(p), static_cast<float>(image.array.at(p)) - mean);
  });
  EXPECT_EQ(results.at("unused").array.values.size(), 1U);
}

TEST(ChainResults, ImagesOfOtherTypesAreReadAsFloat) {
  Random random(3);
  Numbers image = test::random_numbers(random, ElementType::uint8, Box{{0, 17}, {0, 9}});
  image.type = ElementType::int32;
  const Numbers result = result_of("steps: {a: {expression: 'input - 300'}}\n", image, random);
  test::for_each_point(image.array.box,
                       [&](const Point& p) { EXPECT_EQ(result.array.at(p), image.array.at(p) - 300); });
}

TEST(WriteCpp, Text) {
  const std::string text =
      chain::cpp_of(test::chain_of("steps:\n"
                                   "  a: {add: input, value: 3}\n"
                                   "  b: {open: a, window: [7, 5], shape: ellipse}\n"
                                   "  float: {expression: 'b * 2'}\n"
                                   "repeat:\n"
                                   "  u: {begin: float, turns: 5, steps: {v: {abs: u}}}\n"
                                   "output: {step: u}\n"),
                    "doubled");
  for (const char* line :
       {"  const auto a_ = apply(pipeline, \"add\", {input_}, {{\"value\", 3.0}}, \"a\");\n",
        "  const auto b_ = apply(pipeline, \"open\", {a_}, {{\"window\", std::vector<double>{7.0, 5.0}}, "
        "{\"shape\", std::string(\"ellipse\")}}, \"b\");\n",
        "  const auto float_ = operators::expression(pipeline, \"b * 2\", {{\"b\", b_}}, {.type = "
        "ElementType::float32, .domain = domain, .name = \"float\"});\n",
        "  pipeline.repeat(\"u\", 5, [&](const Pipeline::Loop& loop) {\n",
        "    const auto v_ = apply(pipeline, \"abs\", {u_}, {}, \"v\");\n",
        "  operators::output(pipeline, u_);\n", ".program = \"doubled\","})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

}  // namespace
