// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/neighbourhood.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "operators/operator_run.hpp"

namespace tessera::test {
namespace {

/// The values of a window.
template <class T>
std::vector<T> window_at(const WholeArray<T>& a, const BoundaryConditions& border, const Point& p, int rx,
                         int ry) {
  std::vector<T> values;
  for (int j = -ry; j <= ry; ++j)
    for (int i = -rx; i <= rx; ++i) values.push_back(a.bounded(border, {{p[0] + i, p[1] + j, p[2]}}));
  return values;
}

template <class T>
WholeArray<T> ranked(const WholeArray<T>& a, const BoundaryConditions& border, int width, int height,
                     double share) {
  const auto n = static_cast<std::size_t>(width * height);
  const std::size_t rank = std::min(static_cast<std::size_t>(static_cast<double>(n) * share), n - 1);
  return computed<T>(a.box, [&](const Point& p) {
    std::vector<T> values = window_at(a, border, p, width / 2, height / 2);
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
    return values[rank];
  });
}

operators::ParameterValues window_of(int width, int height, const std::string& border) {
  return {{"window", std::vector<double>{double(width), double(height)}}, {"border", border}};
}

using Windows = std::vector<std::pair<int, int>>;

/// All windows for one of the boxes, and two for others.
Windows windows_for(Random& random, const Box& box) {
  const Windows all = {{3, 3}, {5, 5}, {1, 7}, {9, 1}, {7, 7}, {15, 11}, {1, 1}};
  if (box[0].size() == 19) return all;
  return {random.one_of(all), random.one_of(all)};
}

TEST(NeighbourhoodOperators, Extremes) {
  Random random(1);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    for (const auto& [width, height] : windows_for(random, box)) {
      const Border& border = random.one_of(borders());
      const auto values = window_of(width, height, border.name);
      expect_operator<T, T>(random, "erode", values, {a}, ranked(a, border.conditions, width, height, 0));
      expect_operator<T, T>(random, "dilate", values, {a}, ranked(a, border.conditions, width, height, 1));
    }
  });
}

/// Returns the extreme values of the points of a window at which `counts` is true.
template <class T>
WholeArray<T> extreme_where(const WholeArray<T>& a, const BoundaryConditions& border, int rx, int ry,
                            bool greatest, const std::function<bool(int, int)>& counts) {
  return computed<T>(a.box, [&](const Point& p) {
    T result = a.at(p);
    for (int j = -ry; j <= ry; ++j)
      for (int i = -rx; i <= rx; ++i) {
        if (!counts(i, j)) continue;
        const T value = a.bounded(border, {{p[0] + i, p[1] + j, p[2]}});
        result = greatest ? std::max(result, value) : std::min(result, value);
      }
    return result;
  });
}

TEST(NeighbourhoodOperators, ExtremesOfOtherShapes) {
  Random random(9);
  const auto expect = [&]<class T>(std::type_identity<T>, const Box& box, const Windows& windows) {
    const auto a = random_pixels<T>(random, box);
    for (const auto& [width, height] : windows) {
      const Border& border = random.one_of(borders());
      const int rx = width / 2, ry = height / 2;
      const auto in_cross = [](int i, int j) { return i == 0 || j == 0; };
      const auto in_ellipse = [=](int i, int j) {
        return std::abs(i) <= (ry == 0 ? 0 : std::nearbyint(rx * std::sqrt(1 - double(j) * j / (ry * ry))));
      };
      auto values = window_of(width, height, border.name);
      values["shape"] = std::string("cross");
      expect_operator<T, T>(random, "erode", values, {a},
                            extreme_where(a, border.conditions, rx, ry, false, in_cross));
      values["shape"] = std::string("ellipse");
      expect_operator<T, T>(random, "dilate", values, {a},
                            extreme_where(a, border.conditions, rx, ry, true, in_ellipse));
    }
  };
  for_all_images([&]<class T>(std::type_identity<T> type, const Box& box) {
    expect(type, box, windows_for(random, box));
  });
  // Such images are wider or higher than what is computed together.
  for_all_types({Box{{-5, 1100}, {0, 4}}, Box{{0, 5}, {-3, 150}}},
                [&]<class T>(std::type_identity<T> type, const Box& box) {
                  expect(type, box, {{33, 5}, {5, 33}});
                });
}

/// The image is wider than what is computed together.
TEST(NeighbourhoodOperators, ExtremesOfLongRows) {
  Random random(8);
  for_all_types({Box{{-5, 1100}, {0, 4}}}, [&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    for (const auto& [width, height] : {std::pair(15, 3), std::pair(33, 5)})
      expect_operator<T, T>(random, "dilate", window_of(width, height, "mirror"), {a},
                            ranked(a, Boundary::mirror, width, height, 1));
  });
}

TEST(NeighbourhoodOperators, Ranks) {
  Random random(2);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    for (const auto& [width, height] : windows_for(random, box)) {
      const Border& border = random.one_of(borders());
      auto values = window_of(width, height, border.name);
      expect_operator<T, T>(random, "median", values, {a}, ranked(a, border.conditions, width, height, 0.5));
      const double percent = random.small(0, 100);
      values["percent"] = percent;
      expect_operator<T, T>(random, "percentile", values, {a},
                            ranked(a, border.conditions, width, height, percent / 100));
    }
  });
}

TEST(NeighbourhoodOperators, LargeMediansOfBytes) {
  Random random(3);
  for (const auto& [window, box] :
       {std::pair(17, Box{{0, 300}, {0, 20}}), std::pair(31, Box{{0, 280}, {0, 14}}),
        std::pair(61, Box{{0, 120}, {0, 12}})}) {
    const auto a = random_pixels<std::uint8_t>(random, box);
    expect_operator<std::uint8_t, std::uint8_t>(random, "median", {{"window", std::int64_t(window)}}, {a},
                                                ranked(a, Boundary::clamp, window, window, 0.5));
  }
}

TEST(NeighbourhoodOperators, OrderNaNsAndZeros) {
  Random random(4);
  WholeArray<float> a({{0, 40}, {0, 9}});
  for (float& value : a.values)
    value =
        random.one_of<float>({std::nanf(""), -std::nanf(""), -0.0f, 0.0f, 1.0f, -1.0f, INFINITY, -INFINITY});
  const auto rank = [&](double share) {
    return computed<float>(a.box, [&](const Point& p) {
      std::vector<float> values;
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) values.push_back(a.clamped({{p[0] + i, p[1] + j}}));
      const auto place = [](float v) {
        return std::isnan(v) ? 1e300
               : v == 0      ? (std::signbit(v) ? -1e-300 : 1e-300)
                             : std::clamp(double(v), -1e200, 1e200);
      };
      std::sort(values.begin(), values.end(), [&](float one, float two) { return place(one) < place(two); });
      const float result = values[std::min<std::size_t>(static_cast<std::size_t>(9 * share), 8)];
      return std::isnan(result) ? std::bit_cast<float>(0x7fffffff) : result;
    });
  };
  expect_operator<float, float>(random, "erode", {}, {a}, rank(0));
  expect_operator<float, float>(random, "dilate", {}, {a}, rank(1));
  expect_operator<float, float>(random, "median", {}, {a}, rank(0.5));
  expect_operator<float, float>(random, "percentile", {{"percent", 80.0}}, {a}, rank(0.8));
}

TEST(NeighbourhoodOperators, Morphology) {
  Random random(5);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const Border& border = random.one_of(borders());
    const auto values = window_of(3, 5, border.name);
    const auto least = [&](const WholeArray<T>& of) { return ranked(of, border.conditions, 3, 5, 0); };
    const auto greatest = [&](const WholeArray<T>& of) { return ranked(of, border.conditions, 3, 5, 1); };
    const auto minus = [&](const WholeArray<T>& one, const WholeArray<T>& two) {
      return computed<T>(
          box, [&](const Point& p) { return static_cast<T>(std::max(T(one.at(p) - two.at(p)), T(0))); });
    };
    const auto opened = greatest(least(a)), closed = least(greatest(a));
    expect_operator<T, T>(random, "open", values, {a}, opened);
    expect_operator<T, T>(random, "close", values, {a}, closed);
    expect_operator<T, T>(random, "morphological_gradient", values, {a}, minus(greatest(a), least(a)));
    // With borders other than clamp, an opening may be above the image, and a closing below it, at the edges.
    if (border.name == "clamp" || std::is_integral_v<T>) {
      const auto difference = [&](const WholeArray<T>& one, const WholeArray<T>& two) {
        return computed<double>(box, [&](const Point& p) { return double(one.at(p)) - double(two.at(p)); });
      };
      const double error = std::is_integral_v<T> ? 0 : 1e-6;
      expect_near<T, T>(random, "top_hat", values, {a}, difference(a, opened), error);
      expect_near<T, T>(random, "black_hat", values, {a}, difference(closed, a), error);
    }
  });
}

TEST(NeighbourhoodOperators, Variance) {
  Random random(6);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    for (const auto& [width, height] : windows_for(random, box)) {
      const Border& border = random.one_of(borders());
      const auto exact = computed<double>(box, [&, width = width, height = height](const Point& p) {
        const auto values = window_at(a, border.conditions, p, width / 2, height / 2);
        double mean = 0, sum = 0;
        for (const T value : values) mean += static_cast<double>(value) / static_cast<double>(values.size());
        for (const T value : values)
          sum += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
        return sum / static_cast<double>(values.size());
      });
      expect_near<T, float>(random, "variance", window_of(width, height, border.name), {a}, exact,
                            1e-6 * white_of<T>() * white_of<T>());
    }
  });
}

TEST(NeighbourhoodOperators, Bilateral) {
  Random random(7);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const Border& border = random.one_of(borders());
    const double sigma = random.real(0.5, 3), contrast = random.real(0.05, 0.5) * white_of<T>();
    // Weights are kept in blocks of 64 columns for 15 x 15 points, and not at all for 31 x 25.
    const auto window = random.one_of(Windows{{7, 5}, {5, 5}, {1, 3}, {15, 15}, {31, 25}});
    const int reach_x = window.first / 2, reach_y = window.second / 2;
    const bool is_ellipse = random.chance(50);
    auto values = window_of(window.first, window.second, border.name);
    values["sigma"] = sigma;
    values["contrast"] = contrast;
    values["shape"] = std::string(is_ellipse ? "ellipse" : "rectangle");
    const auto exact = computed<double>(box, [&](const Point& p) {
      double sum = 0, weights = 0;
      for (int j = -reach_y; j <= reach_y; ++j)
        for (int i = -reach_x; i <= reach_x; ++i) {
          if (is_ellipse &&
              i * i * reach_y * reach_y + j * j * reach_x * reach_x > reach_x * reach_x * reach_y * reach_y)
            continue;
          const double value =
              static_cast<double>(a.bounded(border.conditions, {{p[0] + i, p[1] + j, p[2]}}));
          const double difference = value - static_cast<double>(a.at(p));
          const double weight = std::exp(-(i * i + j * j) / (2 * sigma * sigma)) *
                                std::exp(-difference * difference / (2 * contrast * contrast));
          sum += weight * value;
          weights += weight;
        }
      return sum / weights;
    });
    expect_near<T, T>(random, "bilateral", values, {a}, exact, float_error<T>());
  });
}

}  // namespace
}  // namespace tessera::test
