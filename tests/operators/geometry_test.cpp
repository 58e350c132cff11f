// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/geometry.hpp"

#include "operators/borders.hpp"
#include "operators/operator_run.hpp"

namespace tessera::test {
namespace {

using Pair = std::vector<double>;

Box with_extents(Box box, std::int64_t width, std::int64_t height) {
  box[0] = {0, width};
  box[1] = {0, height};
  return box;
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
    for (const Border& border : borders()) {
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
  const double scale = double(n) / double(m), center = (double(x) + 0.5) * scale - 0.5;
  double sum = 0;
  for (std::int64_t i = -n - 4; i < 2 * n + 4; ++i) {
    if (std::clamp<std::int64_t>(i, 0, n - 1) != source) continue;
    const double t = std::abs(double(i) - center);
    if (method == "nearest") sum += std::floor((double(x) + 0.5) * scale) == double(i) ? 1 : 0;
    if (method == "linear") sum += std::max(0.0, 1 - t);
    if (method == "cubic") {
      const double a = -0.75;
      sum += t < 1   ? (a + 2) * t * t * t - (a + 3) * t * t + 1
             : t < 2 ? a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a
                     : 0;
    }
    if (method == "area") {
      const double low = double(x) * scale, high = low + scale;
      sum += std::max(0.0, std::min(high, double(i) + 1) - std::max(low, double(i))) / scale;
    }
  }
  return sum;
}

TEST(GeometryOperators, Resize) {
  Random random(2);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    for (const std::string method : {"nearest", "linear", "cubic", "area"}) {
      const std::int64_t w = random.small(1, 50), h = random.small(1, 30), n = box[0].size(),
                         rows = box[1].size();
      const auto expected = computed<T>(with_extents(box, w, h), [&](const Point& p) {
        double sum = 0;
        for (std::int64_t j = 0; j < rows; ++j) {
          const double down = weight_of(method, p[1], j, rows, h);
          if (down == 0) continue;
          for (std::int64_t i = 0; i < n; ++i)
            if (const double across = weight_of(method, p[0], i, n, w); across != 0)
              sum += down * across * static_cast<double>(a.at({{i, j, p[2]}}));
        }
        return stored<T>(sum);
      });
      const double close = method == "nearest" ? 0 : std::is_integral_v<T> ? 1 : 1e-5;
      expect_operator<T, T>(random, "resize", {{"size", Pair{double(w), double(h)}}, {"method", method}}, {a},
                            expected, close);
    }
  });
}

TEST(GeometryOperators, Pyramids) {
  Random random(3);
  const double smooth[] = {1, 4, 6, 4, 1};
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const std::int64_t w = box[0].size(), h = box[1].size();
    const double close = std::is_integral_v<T> ? 0 : 1e-5;
    for (const Border& border : borders()) {
      const auto value = [&](std::int64_t x, std::int64_t y, const Point& p) {
        return static_cast<double>(a.bounded(border.conditions, {{x, y, p[2]}}));
      };
      expect_operator<T, T>(random, "pyramid_down", {{"border", border.name}}, {a},
                            computed<T>(with_extents(box, (w + 1) / 2, (h + 1) / 2),
                                        [&](const Point& p) {
                                          double sum = 0;
                                          for (int j = 0; j < 5; ++j)
                                            for (int i = 0; i < 5; ++i)
                                              sum += smooth[i] * smooth[j] *
                                                     value(2 * p[0] + i - 2, 2 * p[1] + j - 2, p);
                                          return stored<T>(sum / 256);
                                        }),
                            close);
      const auto up = [](std::int64_t x, int i) { return x % 2 == 0 ? (i == 0 ? 6 : 1) : (i < 0 ? 0 : 4); };
      expect_operator<T, T>(random, "pyramid_up", {{"border", border.name}}, {a},
                            computed<T>(with_extents(box, 2 * w, 2 * h),
                                        [&](const Point& p) {
                                          double sum = 0;
                                          for (int j = -1; j <= 1; ++j)
                                            for (int i = -1; i <= 1; ++i)
                                              sum += up(p[0], i) * up(p[1], j) *
                                                     value(p[0] / 2 + i, p[1] / 2 + j, p);
                                          return stored<T>(sum / 64);
                                        }),
                            close);
    }
  });
}

TEST(GeometryOperators, RefuseSizes) {
  Pipeline pipeline;
  const auto image =
      operators::image_of(pipeline, pipeline.input<std::uint8_t, 2>("photo", {{0, 4}, {0, 3}}));
  EXPECT_EQ(message_of<operators::ParameterError>([&] {
              operators::crop(pipeline, image, {.offset = {1, 1}, .size = {4, 2}});
            }),
            "crop: size is 4 x 2 from (1, 1) on, but the image has 4 x 3 points");
  EXPECT_EQ(message_of<operators::ParameterError>([&] {
              operators::resize(pipeline, image, {.size = {0, 2}});
            }),
            "resize: size is 0: it must be from 1 to 67108864 pixels");
}

}  // namespace
}  // namespace tessera::test
