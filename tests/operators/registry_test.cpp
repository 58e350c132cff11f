// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/registry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "domain/random.hpp"
#include "messages.hpp"
#include "tessera/operators/operators.hpp"

namespace tessera::test {
namespace {

using operators::Image;
using test::expect_message;

struct Sample {
  Pipeline pipeline;
  Image bytes = operators::image_of(pipeline, pipeline.input<std::uint8_t, 2>("bytes", {{0, 4}, {0, 3}}));
  Image numbers = operators::image_of(pipeline, pipeline.input<float, 2>("numbers", {{0, 4}, {0, 3}}));
  Image large = operators::image_of(pipeline, pipeline.input<std::uint8_t, 2>("large", {{0, 4}, {0, 5}}));
  Image moved = operators::image_of(pipeline, pipeline.input<std::uint8_t, 2>("moved", {{1, 5}, {0, 3}}));
  Image wide = operators::image_of(pipeline, pipeline.input<double, 2>("wide", {{0, 4}, {0, 3}}));

  std::string error(const std::string& name, const std::vector<Image>& images,
                    const operators::ParameterValues& values = {}) {
    return message_of<InputError>(
        [&] { operators::find_operator(name).apply(pipeline, images, values, "step"); });
  }
};

TEST(Registry, NamesAreUniqueAndEntriesComplete) {
  std::set<std::string> names;
  for (const operators::Operator& one : operators::all_operators()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(&operators::find_operator(one.name), &one);
    EXPECT_FALSE(one.help.empty() || one.example.empty() || one.types.empty() || one.inputs.empty())
        << one.name;
    for (const operators::Parameter& parameter : one.parameters)
      EXPECT_FALSE(parameter.help.empty()) << one.name << " " << parameter.name;
  }
}

TEST(Registry, NamesWhatIsUnknown) {
  Sample sample;
  expect_message(message_of<InputError>([] { operators::find_operator("tresholt"); }),
                 {"'tresholt'", "did you", "mean 'threshold'?"});
  expect_message(sample.error("threshold", {sample.bytes}, {{"value", 3.0}, {"hihg", 3.0}}),
                 {"'step'", "parameter 'hihg'", "mean 'high'?"});
}

TEST(Registry, ChecksValues) {
  Sample sample;
  expect_message(sample.error("threshold", {sample.bytes}),
                 {"'step'", "value is missing", "they are greater"});
  expect_message(sample.error("threshold", {sample.bytes}, {{"value", "x"}}),
                 {"threshold", "'step'", "value is x"});
  expect_message(sample.error("threshold", {sample.bytes}, {{"value", 1.0}, {"mode", "binery"}}),
                 {"'step'", "mode is 'binery'", "mean 'binary'?"});
  expect_message(sample.error("gamma", {sample.bytes}, {{"exponent", 0.0}}),
                 {"gamma", "'step'", "exponent is 0"});
  expect_message(sample.error("levels", {sample.numbers}, {{"black", -3e38}, {"white", 3e38}}),
                 {"'step'", "white is", "their difference"});
  expect_message(sample.error("levels", {sample.numbers}, {{"low", -3e38}, {"high", 3e38}}),
                 {"'step'", "high is", "their difference"});
  expect_message(sample.error("divide", {sample.bytes}, {{"value", std::int64_t(0)}}),
                 {"'step'", "image cannot", "divided"});
  expect_message(sample.error("bit_and", {sample.bytes}, {{"value", 256.0}}),
                 {"'step'", "most 255", "greatest value"});
  for (const std::string name : {"add", "subtract", "difference", "minimum", "maximum", "bit_and", "bit_or",
                                 "bit_xor", "multiply", "divide"}) {
    expect_message(sample.error(name, {sample.bytes}), {"'step'", "give a constant", "second image", name});
    expect_message(sample.error(name, {sample.bytes, sample.bytes}, {{"value", 0.0}}),
                   {"'step'", "operators", "leave it out", name});
  }
  expect_message(sample.error("lookup", {sample.bytes}, {{"table", std::vector<double>{1, 2}}}),
                 {"'step'", "2 entries", "must have"});
  expect_message(message_of<operators::ParameterError>(
                     [&] { operators::gamma(sample.pipeline, sample.bytes, {.exponent = 1000}); }),
                 {"gamma", "exponent is 1000"});
}

TEST(Registry, ChecksImages) {
  Sample sample;
  expect_message(sample.error("add", {}), {"'step'", "2 images", "given 0"});
  expect_message(sample.error("invert", {sample.bytes, sample.bytes}),
                 {"'step'", "image (image)", "given 2"});
  expect_message(sample.error("add", {sample.bytes, sample.large}), {"'step'", "images must", "same size"});
  expect_message(sample.error("add", {sample.bytes, sample.moved}),
                 {"'step'", "images must", "'crop' makes"});
  expect_message(sample.error("add", {sample.bytes, sample.numbers}), {"'step'", "'bytes' is uint8", "cast"});
  expect_message(sample.error("bit_and", {sample.numbers}), {"'step'", "operator takes", "cast it first"});
  expect_message(sample.error("invert", {sample.wide}), {"'step'", "'wide' is float64", "operator takes"});
}

/// Gives an operator the parameters of its C++ function, and returns 1.
template <class Parameters, int least, int most>
int called(const operators::Function<Parameters, least, most>& function) {
  Sample sample;
  const Image image = sample.bytes;
  try {
    operators::find_operator(function.name)
        .call(sample.pipeline, std::vector<Image>(most, image), Parameters{}, "step");
  } catch (const InputError&) {
    // Images and values may be refused, but not the structure of the parameters.
  }
  return 1;
}

TEST(Registry, FunctionsHaveTheParametersOfOperators) {
  using namespace operators;
  const auto count = [](const auto&... functions) { return (called(functions) + ...); };
  EXPECT_EQ(
      count(operators::add, subtract, operators::difference, minimum, maximum, bit_and, bit_or, bit_xor,
            multiply, divide, operators::abs, invert, limit, threshold, levels, operators::gamma, lookup,
            operators::cast, blend, squared_differences, convolution, gaussian, box, sobel, scharr, prewitt,
            laplacian, unsharp, thin_edges, erode, dilate, operators::open, operators::close,
            morphological_gradient, top_hat, black_hat, median, percentile, variance, bilateral, shift, flip,
            rotate, crop, pad, resize, pyramid_down, pyramid_up, channel, merge, colour_matrix, grey, ycbcr,
            from_ycbcr, lab, histogram, mean, least, greatest, equalise, otsu, stretch, distance),
      static_cast<int>(all_operators().size()));
}

TEST(Registry, StagesGetNames) {
  Sample sample;
  const Image first = operators::invert(sample.pipeline, sample.bytes);
  const Image second = operators::invert(sample.pipeline, first);
  const Image third = operators::invert(sample.pipeline, second, {}, "negative");
  EXPECT_EQ(sample.pipeline[first.id].name, "invert");
  EXPECT_EQ(sample.pipeline[second.id].name, "invert_2");
  EXPECT_EQ(sample.pipeline[third.id].name, "negative");
  EXPECT_EQ((third.as<std::uint8_t, 2>().id), third.id);
  EXPECT_THROW((third.as<float, 2>()), InternalError);
}

}  // namespace
}  // namespace tessera::test
