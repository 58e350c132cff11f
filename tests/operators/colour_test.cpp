// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/colour.hpp"

#include "messages.hpp"
#include "operators/operator_run.hpp"

namespace tessera::test {
namespace {

using operators::Matrix;
using test::expect_message;

/// Calls test(std::type_identity<T>(), box) for all types and images in colour.
template <class Test>
void for_all_colours(const Test& test) {
  for_all_images([&]<class T>(std::type_identity<T> type, const Box& box) {
    if (box.dimensions == 3 && box[2].size() == 3) test(type, box);
  });
}

TEST(ColourOperators, ChannelsAndMerge) {
  Random random(1);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const Box flat{box[0], box[1]};
    const int index = box.dimensions == 3 ? static_cast<int>(box[2].size()) - 1 : 0;
    expect_operator<T, T>(random, "channel", {{"index", std::int64_t(index)}}, {a},
                          computed<T>(flat, [&](const Point& p) {
                            return a.at({{p[0], p[1], index}});
                          }));
    const auto r = random_pixels<T>(random, flat), g = random_pixels<T>(random, flat),
               b = random_pixels<T>(random, flat);
    expect_operator<T, T>(random, "merge", {}, {r, g, b},
                          computed<T>({box[0], box[1], {0, 3}}, [&](const Point& p) {
                            return (p[2] == 0 ? r : p[2] == 1 ? g : b).at({{p[0], p[1]}});
                          }));
  });
}

/// The sums of the channels of a point by the rows of a matrix; the last column is added.
template <class T>
double row_sum(const WholeArray<T>& a, const Point& p, const std::vector<double>& row) {
  double sum = row[3];
  for (int m = 0; m < 3; ++m)
    sum += row[static_cast<std::size_t>(m)] * static_cast<double>(a.at({{p[0], p[1], m}}));
  return sum;
}

TEST(ColourOperators, Matrices) {
  Random random(2);
  for_all_colours([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const Matrix mixed = {{0.5, -0.25, 1, 3}, {0, 1.5, 0, -2}};
    expect_near<T, T>(random, "colour_matrix", {{"matrix", mixed}}, {a},
                      computed<double>({box[0], box[1], {0, 2}},
                                       [&](const Point& p) {
                                         return row_sum(a, p, mixed[static_cast<std::size_t>(p[2])]);
                                       }),
                      float_error<T>());
    expect_near<T, T>(random, "grey", {}, {a},
                      computed<double>({box[0], box[1]},
                                       [&](const Point& p) {
                                         return row_sum(a, p, {0.299, 0.587, 0.114, 0});
                                       }),
                      float_error<T>());
    const double half = std::is_integral_v<T> ? (white_of<T>() + 1) / 2 : 0.5;
    const auto luma = [&](const Point& p) { return row_sum(a, p, {0.299, 0.587, 0.114, 0}); };
    expect_near<T, T>(random, "ycbcr", {}, {a},
                      computed<double>(box,
                                       [&](const Point& p) {
                                         const auto value = [&](int m) {
                                           return static_cast<double>(a.at({{p[0], p[1], m}}));
                                         };
                                         return p[2] == 0   ? luma(p)
                                                : p[2] == 1 ? (value(2) - luma(p)) / 1.772 + half
                                                            : (value(0) - luma(p)) / 1.402 + half;
                                       }),
                      float_error<T>());
    expect_near<T, T>(random, "from_ycbcr", {}, {a},
                      computed<double>(box,
                                       [&](const Point& p) {
                                         const auto value = [&](int m) {
                                           return static_cast<double>(a.at({{p[0], p[1], m}}));
                                         };
                                         const double cb = value(1) - half, cr = value(2) - half;
                                         const double red = value(0) + 1.402 * cr,
                                                      blue = value(0) + 1.772 * cb;
                                         const double green = (value(0) - 0.299 * red - 0.114 * blue) / 0.587;
                                         return p[2] == 0 ? red : p[2] == 1 ? green : blue;
                                       }),
                      float_error<T>());
  });
}

TEST(ColourOperators, Lab) {
  Random random(3);
  for_all_colours([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const auto linear = [](double v) { return v > 0.04045 ? std::pow((v + 0.055) / 1.055, 2.4) : v / 12.92; };
    const auto root = [](double t) {
      return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    };
    const auto expected = computed<double>(box, [&](const Point& p) {
      const auto value = [&](int m) {
        return linear(static_cast<double>(a.at({{p[0], p[1], m}})) / white_of<T>());
      };
      const double r = value(0), g = value(1), b = value(2);
      const double x = root((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
      const double y = root(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
      const double z = root((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
      return p[2] == 0 ? 116 * y - 16 : p[2] == 1 ? 500 * (x - y) : 200 * (y - z);
    });
    expect_near<T, float>(random, "lab", {}, {a}, expected, 0.02);
  });
}

TEST(ColourOperators, KnownColours) {
  Random random(4);
  WholeArray<std::uint8_t> red({{0, 1}, {0, 1}, {0, 3}});
  red.values = {255, 0, 0};
  WholeArray<double> expected(red.box);
  expected.values = {53.24, 80.09, 67.20};  // as colour tables have it
  expect_near<std::uint8_t, float>(random, "lab", {}, {red}, expected, 0.02);
}

TEST(ColourOperators, RefuseOtherChannels) {
  Pipeline pipeline;
  const auto image =
      operators::image_of(pipeline, pipeline.input<std::uint8_t, 2>("photo", {{0, 4}, {0, 3}}));
  expect_message(message_of<operators::OperandError>([&] { operators::grey(pipeline, image); }),
                 {"'photo'", "takes images", "green and blue"});
  expect_message(
      message_of<operators::ParameterError>([&] { operators::channel(pipeline, image, {.index = 1}); }),
      {"1 channel", "counted from 0"});
  expect_message(message_of<operators::ParameterError>([&] {
                   operators::colour_matrix(pipeline, image, {.matrix = {{1, 2, 3}}});
                 }),
                 {"each row", "many weights"});
}

}  // namespace
}  // namespace tessera::test
