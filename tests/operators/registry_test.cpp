// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/registry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "domain/random.hpp"
#include "tessera/operators/point.hpp"

namespace tessera::test {
namespace {

using operators::Image;

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
  EXPECT_EQ(message_of<InputError>([] { operators::find_operator("tresholt"); }),
            "there is no operator 'tresholt'; did you mean 'threshold'?");
  EXPECT_EQ(sample.error("threshold", {sample.bytes}, {{"value", 3.0}, {"hihg", 3.0}}),
            "threshold 'step': there is no parameter 'hihg'; did you mean 'high'?");
}

TEST(Registry, ChecksValues) {
  Sample sample;
  EXPECT_EQ(sample.error("threshold", {sample.bytes}),
            "threshold 'step': value is missing: The threshold. Points are above it if they are greater.");
  EXPECT_EQ(sample.error("threshold", {sample.bytes}, {{"value", "x"}}),
            "threshold 'step': value is x: it must be a number");
  EXPECT_EQ(sample.error("threshold", {sample.bytes}, {{"value", 1.0}, {"mode", "binery"}}),
            "threshold 'step': mode is 'binery': it must be one of binary, inverse, truncate, keep_above, "
            "keep_below; did "
            "you mean 'binary'?");
  EXPECT_EQ(sample.error("gamma", {sample.bytes}, {{"exponent", 0.0}}),
            "gamma 'step': exponent is 0: it must be from 0.01 to 100");
  EXPECT_EQ(sample.error("divide", {sample.bytes}, {{"value", std::int64_t(0)}}),
            "divide 'step': value is 0: an image cannot be divided by it");
  EXPECT_EQ(sample.error("bit_and", {sample.bytes}, {{"value", 256.0}}),
            "bit_and 'step': value is 256: it must be at most 255, the greatest value of uint8");
  for (const std::string name : {"add", "subtract", "difference", "minimum", "maximum", "bit_and", "bit_or",
                                 "bit_xor", "multiply", "divide"}) {
    EXPECT_EQ(sample.error(name, {sample.bytes}),
              name + " 'step': value is missing: give a constant or a second image");
    EXPECT_EQ(sample.error(name, {sample.bytes, sample.bytes}, {{"value", 0.0}}),
              name + " 'step': value is for operators on one image: leave it out");
  }
  EXPECT_EQ(sample.error("lookup", {sample.bytes}, {{"table", std::vector<double>{1, 2}}}),
            "lookup 'step': table has 2 entries: it must have 256");
  EXPECT_EQ(message_of<operators::ParameterError>(
                [&] { operators::gamma(sample.pipeline, sample.bytes, {.exponent = 1000}); }),
            "gamma: exponent is 1000: it must be from 0.01 to 100");
}

TEST(Registry, ChecksImages) {
  Sample sample;
  EXPECT_EQ(sample.error("add", {}), "add 'step': it takes 1 to 2 images (image, other), and was given 0");
  EXPECT_EQ(sample.error("invert", {sample.bytes, sample.bytes}),
            "invert 'step': it takes one image (image), and was given 2");
  EXPECT_EQ(
      sample.error("add", {sample.bytes, sample.large}),
      "add 'step': 'bytes' has 4 x 3 points, but 'large' has 4 x 5: the images must have the same size");
  EXPECT_EQ(sample.error("add", {sample.bytes, sample.moved}),
            "add 'step': 'bytes' has the points [0, 4) x [0, 3), but 'moved' has [1, 5) x [0, 3): the images "
            "must have the same points, and 'crop' makes the first one (0, 0)");
  EXPECT_EQ(sample.error("add", {sample.bytes, sample.numbers}),
            "add 'step': 'bytes' is uint8, but 'numbers' is float32: cast one of them, as by {cast: numbers, "
            "to: uint8}");
  EXPECT_EQ(sample.error("bit_and", {sample.numbers}),
            "bit_and 'step': 'numbers' is float32, and the operator takes uint8, uint16: cast it first, with "
            "{cast: numbers, "
            "to: uint16}");
  EXPECT_EQ(sample.error("invert", {sample.wide}),
            "invert 'step': 'wide' is float64, and the operator takes uint8, uint16, float32: read or "
            "compute it as float32");
}

TEST(Registry, StagesGetNames) {
  Sample sample;
  const Image first = operators::invert(sample.pipeline, sample.bytes);
  const Image second = operators::invert(sample.pipeline, first);
  const Image third = operators::invert(sample.pipeline, second, {.name = "negative"});
  EXPECT_EQ(sample.pipeline[first.id].name, "invert");
  EXPECT_EQ(sample.pipeline[second.id].name, "invert_2");
  EXPECT_EQ(sample.pipeline[third.id].name, "negative");
  EXPECT_EQ((third.as<std::uint8_t, 2>().id), third.id);
  EXPECT_THROW((third.as<float, 2>()), InternalError);
}

}  // namespace
}  // namespace tessera::test
