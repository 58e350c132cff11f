// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a chain is told in one line, with the place in the deck and the step.
#include <gtest/gtest.h>

#include "chain_support.hpp"

namespace {

using tessera::test::chain_error;

/// The message about a deck that is read, but whose chain is not built.
std::string read_error(const std::string& text) {
  try {
    tessera::test::chain_of(text);
  } catch (const tessera::InputError& error) {
    return error.what();
  }
  return "no error";
}

/// The message about a deck with these steps, each in a line of its own.
std::string error_of(const std::vector<std::string>& steps, const std::string& more = "") {
  std::string text = "steps:\n";
  for (const std::string& step : steps) text += "  " + step + "\n";
  return chain_error(text + more);
}

TEST(ChainErrors, StepsThatAreRight) {
  EXPECT_EQ(error_of({"a: {add: input, value: 3}", "b: {expression: '2 * a - input'}"}), "no error");
  // The order of the steps does not matter.
  EXPECT_EQ(error_of({"b: {expression: '2 * a - input'}", "a: {add: input, value: 3}"}, "output: {step: b}"),
            "no error");
}

TEST(ChainErrors, OperatorsAndParameters) {
  EXPECT_EQ(error_of({"a: {invrt: input}"}),
            "chain.yaml:2:7: step 'a': there is no operator 'invrt'; did you mean 'invert'?");
  EXPECT_EQ(error_of({"a: {qqqqqqq: input}"}),
            "chain.yaml:2:7: step 'a': there is no operator 'qqqqqqq'; tessera-chain --operators lists them");
  EXPECT_EQ(
      error_of({"a: input"}),
      "chain.yaml:2:6: step 'a': write an operator and what it reads, as in {gaussian: input, sigma: 2}");
  EXPECT_EQ(error_of({"a: {add: input, valeu: 3}"}),
            "chain.yaml:2:19: step 'a': add has no parameter 'valeu'; did you mean 'value'?");
  EXPECT_EQ(error_of({"a: {invert: input, value: 3}"}),
            "chain.yaml:2:22: step 'a': invert has no parameter 'value'; it has none");
  EXPECT_EQ(error_of({"a: {add: input, invert: input}"}),
            "chain.yaml:2:19: step 'a' has two operators, add and invert: make two steps of it");
  EXPECT_EQ(
      error_of({"a: {expression: '1', invert: input}"}),
      "chain.yaml:2:24: step 'a': an expression has no parameter 'invert', and a step has one operator");
  EXPECT_EQ(error_of({"a: {add: input, value: three}"}),
            "chain.yaml:2:26: step 'a': 'value' is three: it must be a number, as [3, 5] is a pair and [1, "
            "2, 1] a list");
  EXPECT_EQ(error_of({"a: {invert: }"}),
            "chain.yaml:2:15: step 'a': 'invert' is followed by the name of a step or input, or a list of "
            "names, as in {invert: input}");
}

TEST(ChainErrors, OperatorsThatDoNotExist) {
  const std::string unknown = "step 'a': there is no operator 'blur'; tessera-chain --operators lists them";
  EXPECT_EQ(error_of({"a: {blur: input, size: 3}"}), "chain.yaml:2:7: " + unknown);
  EXPECT_EQ(error_of({"a: {sigma: 3, blur: input}"}), "chain.yaml:2:17: " + unknown);
  EXPECT_EQ(error_of({"a: {metric: psnr, blur: [b, input]}", "b: {invert: input}"}),
            "chain.yaml:2:21: " + unknown);
  EXPECT_EQ(error_of({"a: {blur: 3}"}), "chain.yaml:2:7: " + unknown);
  EXPECT_EQ(error_of({"a: {}"}), "chain.yaml:2:6: step 'a' has no operator");
  // As steps.smoth.sigma=3 on the command line.
  EXPECT_EQ(error_of({"smooth: {gaussian: input, sigma: 2}", "smoth: {sigma: 3}"}),
            "chain.yaml:3:11: step 'smoth' has no operator; did you mean 'smooth'?");
}

TEST(ChainErrors, WhatStepsRead) {
  EXPECT_EQ(
      error_of({"smooth: {invert: input}", "b: {invert: smoth}"}),
      "chain.yaml:3:15: step 'b' reads 'smoth', but no step or input has this name; did you mean 'smooth'?");
  EXPECT_EQ(error_of({"a: {invert: c}", "b: {invert: a}", "c: {invert: b}"}),
            "chain.yaml:2:3: the steps are a cycle: 'a' reads 'c', 'c' reads 'b', 'b' reads 'a'");
  EXPECT_EQ(error_of({"a: {invert: a}"}), "chain.yaml:2:3: the steps are a cycle: 'a' reads 'a'");
  EXPECT_EQ(error_of({"a: {expression: 'input + q'}"}),
            "chain.yaml:2:19: step 'a' reads 'q', but no step or input has this name; there are input");
  EXPECT_EQ(error_of({"input: {invert: input}"}),
            "chain.yaml:2:3: a step is called 'input', as something else is already");
  EXPECT_EQ(error_of({"a-b: {invert: input}"}),
            "chain.yaml:2:3: 'a-b' cannot be the name of a step: a name has letters, digits and '_', begins "
            "with no "
            "digit, and means nothing else in expressions");
  EXPECT_EQ(error_of({"a: {invert: [input, input]}"}),
            "chain.yaml:2:16: step invert 'a': it takes one image (image), and was given 2");
}

TEST(ChainErrors, Expressions) {
  EXPECT_EQ(error_of({"a: {expression: clamp(input, 0, 255)}"}),
            "chain.yaml:2:19: step 'a': put the expression in quotes");
  EXPECT_EQ(error_of({"a: {expression: '2 * input - '}"}),
            "chain.yaml:2:19: step 'a': expected a number or a name at column 13: the end");
  EXPECT_EQ(error_of({"a: {expression: 'input / (3 - 3)'}"}),
            "chain.yaml:2:19: step 'a': division by zero at column 9: '(3 - 3)'");
  EXPECT_EQ(error_of({"a: {expression: [1]}"}),
            "chain.yaml:2:19: step 'a': an expression is a text in quotes, such as '2 * a - b'");
  EXPECT_EQ(error_of({"a: {expression: 'input', type: int8}"}),
            "chain.yaml:2:34: step 'a': the type is int8: it must be uint8, uint16 or float32");
}

TEST(ChainErrors, WindowsAndSizes) {
  EXPECT_EQ(error_of({"a: {median: input, window: [4, 4]}"}),
            "chain.yaml:2:30: step median 'a': window is 4: it must be odd and from 1 to 255 pixels");
  EXPECT_EQ(error_of({"a: {convolution: input, kernel: [[1, 1], [1, 1]]}"}),
            "chain.yaml:2:35: step convolution 'a': kernel has 2 x 2 weights: both numbers must be odd, so "
            "that there is a middle");
  EXPECT_EQ(error_of({"a: {convolution: input, kernel: [[1, 1, 1], [1, 1]]}"}),
            "chain.yaml:2:35: step convolution 'a': kernel has rows of different lengths");
  EXPECT_EQ(error_of({"a: {crop: input, size: [8, 8]}", "b: {add: [input, a]}"}),
            "chain.yaml:3:20: step add 'b': 'input' has 16 x 12 points, but 'a' has 8 x 8: the images must "
            "have the same size");
  EXPECT_EQ(error_of({"a: {crop: input, size: [8, 8]}", "b: {expression: 'input + a'}"}),
            "chain.yaml:3:19: step 'b': 'a' has 8 x 8 points, but 'input' has 16 x 12: the images must have "
            "the same size at column 9: 'a'");
  EXPECT_EQ(
      error_of({"a: {crop: input, size: [80, 8]}"}),
      "chain.yaml:2:26: step crop 'a': size is 80 x 8 from (0, 0) on, but the image has 16 x 12 points");
  EXPECT_EQ(error_of({"a: {histogram: input}", "b: {expression: 'input + a'}"}),
            "chain.yaml:3:19: step 'b': 'a' is a list of 256 values, and no image at column 9: 'a'");
  EXPECT_EQ(
      error_of({"m: {mean: input}", "b: {subtract: [input, m]}"}),
      "chain.yaml:3:25: step subtract 'b': 'm' is a number, and no image: use it in an expression, such "
      "as 'input - m'");
  EXPECT_EQ(error_of({"a: {mean: input}"}),
            "chain.yaml:2:3: the output is step 'a', which is a number: name an image in output.step");
}

TEST(ChainErrors, TypesAndOutputs) {
  EXPECT_EQ(error_of({"a: {cast: input, to: float32}", "b: {otsu: a}"}),
            "chain.yaml:3:13: step otsu 'b': 'a' is float32, and the operator takes uint8, uint16: cast it "
            "first, with {cast: a, to: uint16}");
  EXPECT_EQ(error_of({"a: {expression: 'input'}", "b: {add: [input, a]}"}),
            "chain.yaml:3:20: step add 'b': 'input' is uint8, but 'a' is float32: cast one of them, as by "
            "{cast: a, to: uint8}");
  EXPECT_EQ(error_of({"bright: {invert: input}"}, "output: {step: brigth}"),
            "chain.yaml:3:16: 'output.step': there is no step 'brigth'; did you mean 'bright'?");
  EXPECT_EQ(chain_error("steps: 5"),
            "chain.yaml:1:8: 'steps' is a block of steps, such as 'smooth: {gaussian: input}'");
  EXPECT_EQ(
      chain_error("repeat: {}"),
      "chain.yaml:1:9: 'repeat' is a block of loops, such as 'relaxed: {begin: input, turns: 10, steps: "
      "{...}}'");
}

TEST(ChainErrors, StepsThatNothingReads) {
  EXPECT_EQ(read_error("steps:\n  a: {median: input, window: 4}\n  b: {invert: input}\n"),
            "chain.yaml:2:30: step median 'a': window is 4: it must be odd and from 1 to 255 pixels");
  EXPECT_EQ(read_error("steps:\n  a: {invert: [input, input]}\n  b: {invert: input}\n"),
            "chain.yaml:2:16: step invert 'a': it takes one image (image), and was given 2");
  EXPECT_EQ(read_error("steps:\n  a: {add: [input, input]}\n  b: {invert: input}\n"), "no error");
}

TEST(ChainErrors, NamesOfStagesThatClash) {
  const auto clash = [](const std::string& place, const std::string& a, const std::string& b) {
    return "chain.yaml:" + place + ": '" + a + "' and '" + b +
           "' would have stages of the same name: give one of them a name that does not begin with the other "
           "and '_'";
  };
  EXPECT_EQ(error_of({"g: {gaussian: input}", "g_x: {invert: g}"}), clash("3:3", "g", "g_x"));
  EXPECT_EQ(error_of({"g_x: {invert: input}", "g: {gaussian: g_x}"}), clash("3:3", "g", "g_x"));
  EXPECT_EQ(error_of({"g: {gaussian: input}", "g_size: {invert: g}"}), "no error");
  const auto loop = [](const std::string& body) {
    return chain_error("repeat:\n  u: {turns: 3, type: float32, steps: {" + body + "}}\n");
  };
  EXPECT_EQ(loop("g: {gaussian: u, sigma: 1}, g_x: {abs: g}"), clash("2:68", "g", "g_x"));
  EXPECT_EQ(chain_error("repeat:\n"
                        "  u: {turns: 3, steps: {u_ends: {mean: u}, v: {invert: u}}, until: 'u_ends < 1'}\n"),
            clash("2:3", "u", "u_ends"));
  EXPECT_EQ(chain_error("steps:\n  input_float32: {abs: input}\n", tessera::ElementType::int16),
            clash("2:3", "input", "input_float32"));
}

TEST(ChainErrors, Loops) {
  const auto loop = [](const std::string& body) { return chain_error("repeat:\n  u: {" + body + "}\n"); };
  EXPECT_EQ(loop("turns: 3, steps: {v: {invert: u}}"), "no error");
  EXPECT_EQ(loop("steps: {v: {invert: u}}"), "chain.yaml:2:3: loop 'u' has no 'turns'");
  EXPECT_EQ(loop("turns: 0, steps: {v: {invert: u}}"),
            "chain.yaml:2:14: loop 'u': 'turns' is 0: it must be a whole number of at least 1");
  EXPECT_EQ(loop("turns: 3, stpes: {v: {invert: u}}"),
            "chain.yaml:2:17: loop 'u': unknown key 'stpes'; did you mean 'steps'?");
  EXPECT_EQ(loop("turns: 3, steps: {v: {invert: u}}, next: w"),
            "chain.yaml:2:48: loop 'u': 'next' is 'w', which is no step of the loop");
  EXPECT_EQ(
      loop("turns: 3, steps: {v: {expression: u / 2}}"),
      "chain.yaml:2:3: loop 'u': 'v' is float32, but the iterate is uint8: give the loop 'type: float32'");
  EXPECT_EQ(loop("turns: 3, steps: {v: {invert: u}}, until: v < 3"),
            "chain.yaml:2:49: loop 'u': 'v' has 16 x 12 points, and a condition is of numbers at column 1: "
            "'v < 3'");
  EXPECT_EQ(loop("turns: 3, steps: {v: {invert: u}}, until: 1"),
            "chain.yaml:2:49: loop 'u': a condition names a number that changes at column 1: '1'");
  EXPECT_EQ(
      loop("turns: 3, steps: {v: {invert: u}, m: {mean: v}}, next: v, until: 'x < m'"),
      "chain.yaml:2:72: loop 'u': a condition is of numbers, and has neither coordinates nor extents at "
      "column 1: 'x < m'");
  EXPECT_EQ(loop("turns: 3, steps: {v: {invert: u}}, until: ''"),
            "chain.yaml:2:49: loop 'u': 'until' is an expression in quotes, such as 'change < 0.5'");
  EXPECT_EQ(loop("turns: 3, steps: {v: {invert: u}, m: {mean: v}}, next: v, until: 'm < '"),
            "chain.yaml:2:72: loop 'u': expected a number or a name at column 5: the end");
}

}  // namespace
