// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/geometry.hpp"

#include "messages.hpp"
#include "operators/operator_run.hpp"

namespace tessera::test {
namespace {

using Pair = std::vector<double>;
using test::expect_message;

Box with_extents(Box box, std::int64_t width, std::int64_t height) {
  box[0] = {0, width};
  box[1] = {0, height};
  return box;
}

TEST(GeometryOperators, ShiftFarBeyondBorders) {
  Random random(9);
  for (const Box& box : {Box{{0, 3}, {0, 5}}, Box{{0, 1}, {0, 2}, {0, 3}}})
    for (const Border& border : borders())
      for (const std::int64_t far : {0, 7, 100000}) {
        const auto a = random_pixels<std::uint8_t>(random, box);
        const std::int64_t dx = far + random.small(-9, 9), dy = random.small(-9, 9) - 3 * far;
        const auto from = [&](const Point& p) {
          return a.bounded(border.conditions, {{p[0] - dx, p[1] - dy, p[2]}});
        };
        expect_operator<std::uint8_t, std::uint8_t>(
            random, "shift", {{"by", Pair{double(dx), double(dy)}}, {"border", border.name}}, {a},
            computed<std::uint8_t>(box, from));
      }
}

TEST(GeometryOperators, MovePoints) {
  Random random(1);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const std::int64_t w = box[0].size(), h = box[1].size();
    const auto expect = [&](const std::string& name, const operators::ParameterValues& values,
                            const Box& result, auto from) {
      expect_operator<T, T>(random, name, values, {a},
                            computed<T>(result, [&](const Point& p) { return from(p); }));
    };
    const auto at = [&](std::int64_t x, std::int64_t y, const Point& p) { return a.at({{x, y, p[2]}}); };
    for (const Border& border : {random.one_of(borders()), random.one_of(borders())}) {
      const int dx = random.small(-9, 9), dy = random.small(-9, 9);
      expect("shift", {{"by", Pair{double(dx), double(dy)}}, {"border", border.name}}, box,
             [&](const Point& p) {
               return a.bounded(border.conditions, {{p[0] - dx, p[1] - dy, p[2]}});
             });
      expect("pad", {{"columns", Pair{2, 5}}, {"rows", Pair{3, 0}}, {"border", border.name}},
             with_extents(box, w + 7, h + 3), [&](const Point& p) {
               return a.bounded(border.conditions, {{p[0] - 2, p[1] - 3, p[2]}});
             });
    }
    expect("pad", {{"columns", Pair{1, 1}}, {"value", 7.0}}, with_extents(box, w + 2, h),
           [&](const Point& p) { return p[0] >= 1 && p[0] <= w ? at(p[0] - 1, p[1], p) : T(7); });
    expect("flip", {}, box, [&](const Point& p) { return at(w - 1 - p[0], p[1], p); });
    expect("flip", {{"direction", "vertical"}}, box,
           [&](const Point& p) { return at(p[0], h - 1 - p[1], p); });
    expect("flip", {{"direction", "both"}}, box,
           [&](const Point& p) { return at(w - 1 - p[0], h - 1 - p[1], p); });
    expect("rotate", {}, with_extents(box, h, w), [&](const Point& p) { return at(p[1], h - 1 - p[0], p); });
    expect("rotate", {{"quarters", std::int64_t(2)}}, box,
           [&](const Point& p) { return at(w - 1 - p[0], h - 1 - p[1], p); });
    expect("rotate", {{"quarters", std::int64_t(3)}}, with_extents(box, h, w),
           [&](const Point& p) { return at(w - 1 - p[1], p[0], p); });
    const std::int64_t left = w / 3, top = h / 2;
    expect("crop",
           {{"offset", Pair{double(left), double(top)}}, {"size", Pair{double(w - left), double(h - top)}}},
           with_extents(box, w - left, h - top),
           [&](const Point& p) { return at(p[0] + left, p[1] + top, p); });
  });
}

/// The weight of point `source` of n in point x of the result, of m, with nearest points beyond the borders.
double weight_of(const std::string& method, std::int64_t x, std::int64_t source, std::int64_t n,
                 std::int64_t m) {
  const double scale = double(n) / double(m), center = (double(x) + 0.5) * double(n) / double(m) - 0.5;
  double sum = 0;
  for (std::int64_t i = -n - 4; i < 2 * n + 4; ++i) {
    if (std::clamp<std::int64_t>(i, 0, n - 1) != source) continue;
    const double t = std::abs(double(i) - center);
    if (method == "nearest") sum += std::floor(center + 0.5) == double(i) ? 1 : 0;
    if (method == "linear") sum += std::max(0.0, 1 - t);
    if (method == "cubic") {
      const double a = -0.75;
      sum += t < 1   ? (a + 2) * t * t * t - (a + 3) * t * t + 1
             : t < 2 ? a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a
                     : 0;
    }
    if (method == "area") {
      const double low = double(x * n) / double(m), high = double((x + 1) * n) / double(m);
      sum += std::max(0.0, std::min(high, double(i) + 1) - std::max(low, double(i))) / scale;
    }
  }
  return sum;
}

/// The weights of all points of an axis, for each point of the result.
std::vector<std::vector<double>> weights_of(const std::string& method, std::int64_t n, std::int64_t m) {
  std::vector<std::vector<double>> weights(static_cast<std::size_t>(m));
  for (std::int64_t x = 0; x < m; ++x)
    for (std::int64_t i = 0; i < n; ++i)
      weights[static_cast<std::size_t>(x)].push_back(weight_of(method, x, i, n, m));
  return weights;
}

/// An image, resampled. Points whose weight is 0 do not count, even if they are NaN.
template <class T>
WholeArray<double> resampled(const WholeArray<T>& a, std::int64_t width, std::int64_t height,
                             const std::string& method) {
  const auto across = weights_of(method, a.box[0].size(), width);
  const auto down = weights_of(method, a.box[1].size(), height);
  return computed<double>(with_extents(a.box, width, height), [&](const Point& p) {
    const auto &row = across[static_cast<std::size_t>(p[0])], &column = down[static_cast<std::size_t>(p[1])];
    double sum = 0;
    for (std::size_t j = 0; j < column.size(); ++j)
      for (std::size_t i = 0; i < row.size(); ++i)
        if (row[i] != 0 && column[j] != 0)
          sum +=
              row[i] * column[j] *
              static_cast<double>(a.at({{static_cast<std::int64_t>(i), static_cast<std::int64_t>(j), p[2]}}));
    return sum;
  });
}

const std::vector<std::string> methods = {"nearest", "linear", "cubic", "area"};

TEST(GeometryOperators, Resize) {
  Random random(2);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    for (const std::string& method : methods) {
      const std::int64_t w = random.small(1, 50), h = random.small(1, 30);
      expect_near<T, T>(random, "resize", {{"size", Pair{double(w), double(h)}}, {"method", method}}, {a},
                        resampled(a, w, h, method), method == "nearest" ? 0 : float_error<T>());
    }
  });
}

/// Rows that are longer than vectors, and halves, which have a stage of their own.
TEST(GeometryOperators, ResizeOfLongRowsAndHalves) {
  Random random(5);
  for_all_types({Box{{0, 140}, {0, 6}}}, [&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    for (const std::string& method : methods)
      for (const auto& [w, h] : {std::pair(251, 5), std::pair(70, 3), std::pair(70, 6), std::pair(280, 12)})
        expect_near<T, T>(random, "resize", {{"size", Pair{double(w), double(h)}}, {"method", method}}, {a},
                          resampled(a, w, h, method), method == "nearest" ? 0 : float_error<T>());
  });
}

/// The same size, thirds and multiples have points with a single weight that is not 0. Multiples are not
/// taken for cubic interpolation, because weights of opposite signs may fall on one point at the border.
TEST(GeometryOperators, ResizeOfNaNsAndInfinities) {
  Random random(4);
  const auto a = random_pixels<float>(random, {{0, 18}, {0, 12}}, Pixels::any);
  for (const std::string& method : methods)
    for (const auto& [w, h] : {std::pair(18, 12), std::pair(6, 4), std::pair(54, 36)}) {
      if (method == "cubic" && w > 18) continue;
      expect_near<float, float>(random, "resize", {{"size", Pair{double(w), double(h)}}, {"method", method}},
                                {a}, resampled(a, w, h, method), 1e-5);
    }
}

TEST(GeometryOperators, Pyramids) {
  Random random(3);
  const double smooth[] = {1, 4, 6, 4, 1};
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const std::int64_t w = box[0].size(), h = box[1].size();
    const double error = std::is_integral_v<T> ? 0 : 1e-5;
    for (const Border& border : {random.one_of(borders()), random.one_of(borders())}) {
      const auto value = [&](std::int64_t x, std::int64_t y, const Point& p) {
        return static_cast<double>(a.bounded(border.conditions, {{x, y, p[2]}}));
      };
      expect_near<T, T>(random, "pyramid_down", {{"border", border.name}}, {a},
                        computed<double>(with_extents(box, (w + 1) / 2, (h + 1) / 2),
                                         [&](const Point& p) {
                                           double sum = 0;
                                           for (int j = 0; j < 5; ++j)
                                             for (int i = 0; i < 5; ++i)
                                               sum += smooth[i] * smooth[j] *
                                                      value(2 * p[0] + i - 2, 2 * p[1] + j - 2, p);
                                           return sum / 256;
                                         }),
                        error);
      const auto up = [](std::int64_t x, int i) { return x % 2 == 0 ? (i == 0 ? 6 : 1) : (i < 0 ? 0 : 4); };
      expect_near<T, T>(random, "pyramid_up", {{"border", border.name}}, {a},
                        computed<double>(with_extents(box, 2 * w, 2 * h),
                                         [&](const Point& p) {
                                           double sum = 0;
                                           for (int j = -1; j <= 1; ++j)
                                             for (int i = -1; i <= 1; ++i)
                                               sum += up(p[0], i) * up(p[1], j) *
                                                      value(p[0] / 2 + i, p[1] / 2 + j, p);
                                           return sum / 64;
                                         }),
                        error);
    }
  });
}

TEST(GeometryOperators, RefuseSizes) {
  Pipeline pipeline;
  const auto image =
      operators::image_of(pipeline, pipeline.input<std::uint8_t, 2>("photo", {{0, 4}, {0, 3}}));
  expect_message(message_of<operators::ParameterError>([&] {
                   operators::crop(pipeline, image, {.offset = {1, 1}, .size = {4, 2}});
                 }),
                 {"size is 4", "3 points"});
  expect_message(message_of<operators::ParameterError>([&] {
                   operators::resize(pipeline, image, {.size = {0, 2}});
                 }),
                 {"resize", "67108864 pixels"});
  const auto moved =
      operators::image_of(pipeline, pipeline.input<std::uint8_t, 2>("moved", {{1, 5}, {0, 3}}));
  expect_message(message_of<operators::OperandError>([&] { operators::pyramid_down(pipeline, moved); }),
                 {"first point", "pyramid must", "'crop'"});
}

}  // namespace
}  // namespace tessera::test
