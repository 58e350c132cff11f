// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/convolution.hpp"

#include "messages.hpp"
#include "operators/operator_run.hpp"
#include "tessera/operators/detail/means.hpp"

namespace tessera::test {
namespace {

using operators::Matrix;
using test::expect_message;

/// The sum of weight(i, j) times the neighbour at (i, j), for a window of that radius.
template <class T, class Weight>
double sum_around(const WholeArray<T>& a, const BoundaryConditions& border, const Point& p, int rx, int ry,
                  const Weight& weight) {
  double sum = 0;
  for (int j = -ry; j <= ry; ++j)
    for (int i = -rx; i <= rx; ++i)
      sum += weight(i, j) * static_cast<double>(a.bounded(border, {{p[0] + i, p[1] + j, p[2]}}));
  return sum;
}

Matrix random_kernel(Random& random, int width, int height, bool separable) {
  std::vector<double> row, column;
  for (int i = 0; i < width; ++i) row.push_back(random.real(-1, 1));
  for (int j = 0; j < height; ++j) column.push_back(random.real(-1, 1));
  Matrix kernel(static_cast<std::size_t>(height));
  for (std::size_t j = 0; j < kernel.size(); ++j)
    for (std::size_t i = 0; i < row.size(); ++i)
      kernel[j].push_back(separable ? row[i] * column[j] : random.real(-1, 1));
  return kernel;
}

template <class T>
void expect_convolution(Random& random, const Box& box, int width, int height, bool separable) {
  const auto a = random_pixels<T>(random, box);
  const Matrix kernel = random_kernel(random, width, height, separable);
  const Border& border = random.one_of(borders());
  const auto weight = [&](int i, int j) {
    return kernel[static_cast<std::size_t>(height / 2 - j)][static_cast<std::size_t>(width / 2 - i)];
  };
  const auto sum = [&](const Point& p) {
    return 0.7 * sum_around(a, border.conditions, p, width / 2, height / 2, weight) + 3;
  };
  const double size = width * height * white_of<T>();
  const auto exact = computed<double>(box, sum);
  expect_near<T, T>(random, "convolution",
                    {{"kernel", kernel}, {"scale", 0.7}, {"offset", 3.0}, {"border", border.name}}, {a},
                    exact, std::is_integral_v<T> ? float_error<T>() : 1e-4);
  expect_near<T, float>(
      random, "convolution",
      {{"kernel", kernel}, {"scale", 0.7}, {"offset", 3.0}, {"border", border.name}, {"float_result", true}},
      {a}, exact, 1e-5 * size);
}

TEST(ConvolutionOperators, AnyKernel) {
  Random random(1);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    expect_convolution<T>(random, box, 3, 3, false);
    expect_convolution<T>(random, box, 5, 3, false);
    expect_convolution<T>(random, box, 7, 5, true);
    expect_convolution<T>(random, box, 1, 9, false);
    expect_convolution<T>(random, box, 13, 1, true);
  });
}

TEST(ConvolutionOperators, KernelsOfIntegersAreExact) {
  Random random(2);
  const Matrix kernel = {{0, 3, -1}, {2, 5, -4}, {1, 0, -2}};
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    if constexpr (std::is_integral_v<T>) {
      const auto a = random_pixels<T>(random, box);
      for (const Border& border : borders())
        expect_operator<T, T>(
            random, "convolution", {{"kernel", kernel}, {"normalise", true}, {"border", border.name}}, {a},
            computed<T>(box, [&](const Point& p) {
              const double sum = sum_around(a, border.conditions, p, 1, 1, [&](int i, int j) {
                return kernel[static_cast<std::size_t>(1 - j)][static_cast<std::size_t>(1 - i)];
              });
              return stored<T>(sum / 4);
            }));
    }
  });
}

TEST(ConvolutionOperators, Smoothing) {
  Random random(3);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const Border& border = random.one_of(borders());
    const double sigma = random.real(0.3, 2.5);
    const int radius = static_cast<int>(3 * sigma + 0.5);
    double total = 0;
    const auto bell = [&](int i) { return std::exp(-i * i / (2 * sigma * sigma)); };
    for (int i = -radius; i <= radius; ++i) total += bell(i);
    // Bytes are smoothed in fixed-point arithmetic (see FixedWeights).
    expect_near<T, T>(random, "gaussian", {{"sigma", sigma}, {"truncate", 3.0}, {"border", border.name}}, {a},
                      computed<double>(box,
                                       [&](const Point& p) {
                                         return sum_around(a, border.conditions, p, radius, radius,
                                                           [&](int i, int j) {
                                                             return bell(i) * bell(j) / (total * total);
                                                           });
                                       }),
                      std::is_same_v<T, std::uint8_t> ? 0.05 : float_error<T>());
    expect_near<T, T>(random, "box", {{"window", std::vector<double>{5, 3}}, {"border", border.name}}, {a},
                      computed<double>(box,
                                       [&](const Point& p) {
                                         return sum_around(a, border.conditions, p, 2, 1,
                                                           [](int, int) { return 1.0; }) /
                                                15;
                                       }),
                      std::is_integral_v<T> ? 0.01 : 1e-5);
  });
}

/// Sums of boxes are made of blocks. The image is wider than what is computed together, and the windows have
/// all numbers of blocks, and sums of 16 and of 32 bits.
TEST(ConvolutionOperators, Boxes) {
  Random random(7);
  for_all_types({Box{{-3, 601}, {2, 9}}}, [&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    for (const std::array<int, 2>& window : {std::array{1, 1}, {15, 17}, {43, 3}, {3, 63}}) {
      const int width = window[0], height = window[1];
      const Border& border = random.one_of(borders());
      const operators::ParameterValues values = {
          {"window", std::vector<double>{double(width), double(height)}}, {"border", border.name}};
      const auto exact = computed<double>(box, [&](const Point& p) {
        return sum_around(a, border.conditions, p, width / 2, height / 2, [](int, int) { return 1.0; }) /
               (width * height);
      });
      if constexpr (std::is_integral_v<T>)
        expect_operator<T, T>(random, "box", values, {a},
                              computed<T>(box, [&](const Point& p) { return stored<T>(exact.at(p)); }));
      else
        expect_near<T, T>(random, "box", values, {a}, exact, 1e-5);
    }
  });
}

#ifdef TESSERA_COMPUTES_PLANES
/// Devices compute boxes point by point, in the same order.
TEST(ConvolutionOperators, BoxesOfPointsHaveTheBitsOfPlanes) {
  Random random(8);
  constexpr int width = 60, height = 40;
  const auto a = random_pixels<float>(random, {{0, width}, {0, height}});
  const auto at = [&a](Coordinate x, Coordinate y, Coordinate) { return a.at({{x.value, y.value}}); };
  for (const auto& reach : {operators::detail::Reach{7, 3}, {1, 15}, {10, 0}}) {
    const auto body = operators::detail::MeanOfWindow<float>::of(reach);
    std::vector<float> row_by_row(width * height), result(width * height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) row_by_row[static_cast<std::size_t>(y * width + x)] = a.at({{x, y}});
    const Range columns{reach.x, width - reach.x}, rows{reach.y, height - reach.y};
    body.plane({row_by_row.data(), width}, {result.data(), width}, columns, rows);
    for (auto y = rows.begin; y < rows.end; ++y)
      for (auto x = columns.begin; x < columns.end; ++x)
        EXPECT_EQ(result[static_cast<std::size_t>(y * width + x)],
                  body(at, Coordinate(static_cast<int>(x)), Coordinate(static_cast<int>(y)), Coordinate(0)));
  }
}
#endif

/// Each channel of the image has one value.
TEST(ConvolutionOperators, ConstantImagesOfBytesStay) {
  Random random(6);
  const auto a = computed<std::uint8_t>({{0, 3}, {0, 2}, {0, 256}}, [](const Point& p) { return p[2]; });
  for (const double sigma : {0.5, 8.0, 20.0, 50.0})
    expect_operator<std::uint8_t, std::uint8_t>(random, "gaussian", {{"sigma", sigma}}, {a}, a);
}

/// Rows that are equal have the errors of both directions added up.
TEST(ConvolutionOperators, GaussiansOfBytesHaveTheStatedError) {
  Random random(7);
  for (const double sigma : {0.5, 4.9, 7.7, 8.0, 9.0, 20.0}) {
    const int radius = static_cast<int>(4 * sigma + 0.5);
    std::vector<int> column;
    for (int x = 0; x < 150; ++x) column.push_back(random.chance(50) ? 0 : random.small(1, 255));
    const auto a = computed<std::uint8_t>(
        {{0, 150}, {0, 3}}, [&](const Point& p) { return column[static_cast<std::size_t>(p[0])]; });
    double total = 0;
    const auto bell = [&](int i) { return std::exp(-i * i / (2 * sigma * sigma)); };
    for (int i = -radius; i <= radius; ++i) total += bell(i);
    expect_near<std::uint8_t, std::uint8_t>(
        random, "gaussian", {{"sigma", sigma}}, {a},
        computed<double>(a.box,
                         [&](const Point& p) {
                           return sum_around(a, Boundary::clamp, p, radius, 0,
                                             [&](int i, int) { return bell(i) / total; });
                         }),
        radius <= 32 ? 0.05 : 0.01);
  }
}

TEST(ConvolutionOperators, Gradients) {
  Random random(4);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const Border& border = random.one_of(borders());
    for (const auto& [name, side, middle] :
         {std::tuple("sobel", 1, 2), std::tuple("scharr", 3, 10), std::tuple("prewitt", 1, 1)}) {
      const auto derivative = [&, side = side, middle = middle](const Point& p, bool along_x) {
        return sum_around(a, border.conditions, p, 1, 1, [&](int i, int j) {
          return (along_x ? i : j) * ((along_x ? j : i) == 0 ? middle : side);
        });
      };
      const double near = std::is_integral_v<T> ? 0 : 1e-4;
      const auto expect = [&, name = name](const std::string& part, auto kind, auto value, double error) {
        expect_near<T, typename decltype(kind)::type>(
            random, name, {{"part", part}, {"border", border.name}}, {a},
            computed<double>(
                box, [&](const Point& p) { return value(derivative(p, true), derivative(p, false)); }),
            error);
      };
      expect(
          "sum", std::type_identity<T>(), [](double x, double y) { return std::abs(x) + std::abs(y); }, near);
      expect(
          "root", std::type_identity<T>(), [](double x, double y) { return std::hypot(x, y); },
          std::is_integral_v<T> ? float_error<T>() : 1e-4);
      expect(
          "x", std::type_identity<float>(), [](double x, double) { return x; }, near);
      expect(
          "y", std::type_identity<float>(), [](double, double y) { return y; }, near);
    }
  });
}

TEST(ConvolutionOperators, LaplacianAndUnsharp) {
  Random random(5);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const Border& border = random.one_of(borders());
    for (const bool diagonals : {false, true})
      expect_near<T, float>(random, "laplacian", {{"diagonals", diagonals}, {"border", border.name}}, {a},
                            computed<double>(box,
                                             [&](const Point& p) {
                                               return sum_around(
                                                   a, border.conditions, p, 1, 1, [&](int i, int j) {
                                                     if (i == 0 && j == 0) return diagonals ? -8.0 : -4.0;
                                                     return i == 0 || j == 0 || diagonals ? 1.0 : 0.0;
                                                   });
                                             }),
                            std::is_integral_v<T> ? 0 : 1e-4);
    double total = 0;
    const auto bell = [](int i) { return std::exp(-i * i / (2 * 0.8 * 0.8)); };
    for (int i = -3; i <= 3; ++i) total += bell(i);
    expect_near<T, T>(random, "unsharp", {{"sigma", 0.8}, {"amount", 1.5}, {"border", border.name}}, {a},
                      computed<double>(box,
                                       [&](const Point& p) {
                                         const double smooth =
                                             sum_around(a, border.conditions, p, 3, 3, [&](int i, int j) {
                                               return bell(i) * bell(j) / (total * total);
                                             });
                                         return a.at(p) + 1.5 * (a.at(p) - smooth);
                                       }),
                      float_error<T>());
  });
}

TEST(ConvolutionOperators, RefuseKernels) {
  Pipeline pipeline;
  const auto image =
      operators::image_of(pipeline, pipeline.input<std::uint8_t, 2>("photo", {{0, 4}, {0, 3}}));
  const auto error = [&](const operators::Convolution& parameters) {
    return message_of<operators::ParameterError>(
        [&] { operators::convolution(pipeline, image, parameters); });
  };
  expect_message(error({}), {"convolution", "kernel is missing"});
  expect_message(error({.kernel = {{1, 2}, {3, 4}}}), {"2 weights", "both numbers"});
  expect_message(error({.kernel = {{1, 2, 1}, {3}, {1, 2, 1}}}), {"kernel has rows", "different lengths"});
  expect_message(error({.kernel = {std::vector<double>(33, 1.0)}}), {"1 weights", "most 31"});
  expect_message(error({.kernel = {{1, 0, -1}}, .normalise = true}), {"normalise is true", "add up"});
  expect_message(message_of<operators::ParameterError>([&] {
                   operators::box(pipeline, image, {.window = {4, 3}});
                 }),
                 {"must be odd", "255 pixels"});
}

}  // namespace
}  // namespace tessera::test
