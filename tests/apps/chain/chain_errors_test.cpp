// SPDX-License-Identifier: BSD-3-Clause
// An error in a chain is one line, with the place in the deck and the step.
#include <gtest/gtest.h>

#include "chain_support.hpp"
#include "messages.hpp"

namespace {

using tessera::test::chain_error;
using tessera::test::expect_message;

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
  expect_message(error_of({"a: {invrt: input}"}), {"chain.yaml:2:7:", "'a'", "operator 'invrt'"});
  expect_message(error_of({"a: {qqqqqqq: input}"}), {"chain.yaml:2:7:", "'a'", "tessera-chain --operators"});
  expect_message(error_of({"a: input"}), {"chain.yaml:2:6:", "'a'", "operator and what"});
  expect_message(error_of({"a: {add: input, valeu: 3}"}), {"chain.yaml:2:19:", "'a'", "parameter 'valeu'"});
  expect_message(error_of({"a: {invert: input, value: 3}"}),
                 {"chain.yaml:2:22:", "'a'", "parameter 'value'"});
  expect_message(error_of({"a: {add: input, invert: input}"}), {"chain.yaml:2:19:", "'a'", "make two"});
  expect_message(error_of({"a: {expression: '1', invert: input}"}),
                 {"chain.yaml:2:24:", "'a'", "parameter 'invert'"});
  expect_message(error_of({"a: {add: input, value: three}"}),
                 {"chain.yaml:2:26:", "'a'", "'value' is three"});
  expect_message(error_of({"a: {invert: }"}), {"chain.yaml:2:15:", "'a'", "'invert' is followed"});
}

TEST(ChainErrors, OperatorsThatDoNotExist) {
  expect_message(error_of({"a: {blur: input, size: 3}"}),
                 {"chain.yaml:2:7:", "'a'", "tessera-chain --operators"});
  expect_message(error_of({"a: {sigma: 3, blur: input}"}),
                 {"chain.yaml:2:17:", "'a'", "tessera-chain --operators"});
  expect_message(error_of({"a: {metric: psnr, blur: [b, input]}", "b: {invert: input}"}),
                 {"chain.yaml:2:21:", "'a'", "tessera-chain --operators"});
  expect_message(error_of({"a: {blur: 3}"}), {"chain.yaml:2:7:", "'a'", "tessera-chain --operators"});
  expect_message(error_of({"a: {}"}), {"chain.yaml:2:6:", "'a'", "no operator"});
  // As steps.smoth.sigma=3 on the command line.
  expect_message(error_of({"smooth: {gaussian: input, sigma: 2}", "smoth: {sigma: 3}"}),
                 {"chain.yaml:3:11:", "'smoth'", "mean 'smooth'?"});
}

TEST(ChainErrors, WhatStepsRead) {
  expect_message(error_of({"smooth: {invert: input}", "b: {invert: smoth}"}),
                 {"chain.yaml:3:15:", "'b'", "reads 'smoth'"});
  expect_message(error_of({"a: {invert: c}", "b: {invert: a}", "c: {invert: b}"}),
                 {"chain.yaml:2:3:", "'a'", "reads 'c'"});
  expect_message(error_of({"a: {invert: a}"}), {"chain.yaml:2:3:", "are a cycle", "'a' reads 'a'"});
  expect_message(error_of({"a: {expression: 'input + q'}"}), {"chain.yaml:2:19:", "'a'", "reads 'q'"});
  expect_message(error_of({"input: {invert: input}"}), {"chain.yaml:2:3:", "'input'", "something else"});
  expect_message(error_of({"a-b: {invert: input}"}), {"chain.yaml:2:3:", "'a-b'", "nothing else"});
  expect_message(error_of({"a: {invert: [input, input]}"}), {"chain.yaml:2:16:", "step invert", "'a'"});
}

TEST(ChainErrors, Expressions) {
  expect_message(error_of({"a: {expression: clamp(input, 0, 255)}"}),
                 {"chain.yaml:2:19:", "'a'", "put the expression"});
  expect_message(error_of({"a: {expression: '2 * input - '}"}),
                 {"chain.yaml:2:19:", "'a'", "expected a number"});
  expect_message(error_of({"a: {expression: 'input / (3 - 3)'}"}),
                 {"chain.yaml:2:19:", "'a'", "division by zero"});
  expect_message(error_of({"a: {expression: [1]}"}), {"chain.yaml:2:19:", "'a'", "text in quotes"});
  expect_message(error_of({"a: {expression: 'input', type: int8}"}),
                 {"chain.yaml:2:34:", "'a'", "type is int8"});
}

TEST(ChainErrors, WindowsAndSizes) {
  expect_message(error_of({"a: {median: input, window: [4, 4]}"}),
                 {"chain.yaml:2:30:", "step median", "'a'"});
  expect_message(error_of({"a: {convolution: input, kernel: [[1, 1], [1, 1]]}"}),
                 {"chain.yaml:2:35:", "'a'", "both numbers"});
  expect_message(error_of({"a: {convolution: input, kernel: [[1, 1, 1], [1, 1]]}"}),
                 {"chain.yaml:2:35:", "'a'", "different lengths"});
  expect_message(error_of({"a: {crop: input, size: [8, 8]}", "b: {add: [input, a]}"}),
                 {"chain.yaml:3:20:", "'b'", "images must"});
  expect_message(error_of({"a: {crop: input, size: [8, 8]}", "b: {expression: 'input + a'}"}),
                 {"chain.yaml:3:19:", "'b'", "images must"});
  expect_message(error_of({"a: {crop: input, size: [80, 8]}"}), {"chain.yaml:2:26:", "step crop", "'a'"});
  expect_message(error_of({"a: {histogram: input}", "b: {expression: 'input + a'}"}),
                 {"chain.yaml:3:19:", "'b'", "256 values"});
  expect_message(error_of({"m: {mean: input}", "b: {subtract: [input, m]}"}),
                 {"chain.yaml:3:25:", "step subtract", "'b'"});
  expect_message(error_of({"a: {mean: input}"}), {"chain.yaml:2:3:", "'a'", "image in output.step"});
}

TEST(ChainErrors, TypesAndOutputs) {
  expect_message(error_of({"a: {cast: input, to: float32}", "b: {otsu: a}"}),
                 {"chain.yaml:3:13:", "step otsu", "'b'"});
  expect_message(error_of({"a: {expression: 'input'}", "b: {add: [input, a]}"}),
                 {"chain.yaml:3:20:", "step add", "'b'"});
  expect_message(error_of({"bright: {invert: input}"}, "output: {step: brigth}"),
                 {"chain.yaml:3:16:", "'output.step'", "mean 'bright'?"});
  expect_message(chain_error("steps: 5"), {"chain.yaml:1:8:", "'steps'", "block of steps"});
  expect_message(chain_error("repeat: {}"), {"chain.yaml:1:9:", "'repeat'", "block of loops"});
}

TEST(ChainErrors, StepsThatNothingReads) {
  expect_message(read_error("steps:\n  a: {median: input, window: 4}\n  b: {invert: input}\n"),
                 {"chain.yaml:2:30:", "step median", "'a'"});
  expect_message(read_error("steps:\n  a: {invert: [input, input]}\n  b: {invert: input}\n"),
                 {"chain.yaml:2:16:", "step invert", "'a'"});
  EXPECT_EQ(read_error("steps:\n  a: {add: [input, input]}\n  b: {invert: input}\n"), "no error");
}

TEST(ChainErrors, NamesOfStagesThatClash) {
  expect_message(error_of({"g: {gaussian: input}", "g_x: {invert: g}"}),
                 {"chain.yaml:3:3:", "'g' and 'g_x'", "same name"});
  expect_message(error_of({"g_x: {invert: input}", "g: {gaussian: g_x}"}),
                 {"chain.yaml:3:3:", "'g' and 'g_x'", "same name"});
  EXPECT_EQ(error_of({"g: {gaussian: input}", "g_size: {invert: g}"}), "no error");
  const auto loop = [](const std::string& body) {
    return chain_error("repeat:\n  u: {turns: 3, type: float32, steps: {" + body + "}}\n");
  };
  expect_message(loop("g: {gaussian: u, sigma: 1}, g_x: {abs: g}"),
                 {"chain.yaml:2:68:", "'g' and 'g_x'", "same name"});
  expect_message(
      chain_error("repeat:\n"
                  "  u: {turns: 3, steps: {u_ends: {mean: u}, v: {invert: u}}, until: 'u_ends < 1'}\n"),
      {"chain.yaml:2:3:", "'u' and 'u_ends'", "same name"});
  expect_message(chain_error("steps:\n  input_float32: {abs: input}\n", tessera::ElementType::int16),
                 {"chain.yaml:2:3:", "'input' and 'input_float32'", "same name"});
}

TEST(ChainErrors, Loops) {
  const auto loop = [](const std::string& body) { return chain_error("repeat:\n  u: {" + body + "}\n"); };
  EXPECT_EQ(loop("turns: 3, steps: {v: {invert: u}}"), "no error");
  expect_message(loop("steps: {v: {invert: u}}"), {"chain.yaml:2:3:", "'u'", "no 'turns'"});
  expect_message(loop("turns: 0, steps: {v: {invert: u}}"), {"chain.yaml:2:14:", "'u'", "whole number"});
  expect_message(loop("turns: 3, stpes: {v: {invert: u}}"), {"chain.yaml:2:17:", "'u'", "mean 'steps'?"});
  expect_message(loop("turns: 3, steps: {v: {invert: u}}, next: w"), {"chain.yaml:2:48:", "'u'", "no step"});
  expect_message(loop("turns: 3, steps: {v: {expression: u / 2}}"),
                 {"chain.yaml:2:3:", "'u'", "iterate is uint8"});
  expect_message(loop("turns: 3, steps: {v: {invert: u}}, until: v < 3"),
                 {"chain.yaml:2:49:", "'u'", "numbers at column"});
  expect_message(loop("turns: 3, steps: {v: {invert: u}}, until: 1"),
                 {"chain.yaml:2:49:", "'u'", "condition names"});
  expect_message(loop("turns: 3, steps: {v: {invert: u}, m: {mean: v}}, next: v, until: 'x < m'"),
                 {"chain.yaml:2:72:", "'u'", "coordinates nor extents"});
  expect_message(loop("turns: 3, steps: {v: {invert: u}}, until: ''"),
                 {"chain.yaml:2:49:", "'u'", "expression in quotes"});
  expect_message(loop("turns: 3, steps: {v: {invert: u}, m: {mean: v}}, next: v, until: 'm < '"),
                 {"chain.yaml:2:72:", "'u'", "column 5"});
}

}  // namespace
