// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/point.hpp"

#include "operators/operator_run.hpp"

namespace tessera::test {
namespace {

/// Expects an operator to combine an image with a constant, and with another image.
template <class T>
void expect_both(Random& random, const Box& box, const std::string& name, double constant,
                 double (*combine)(double, double)) {
  const auto a = random_pixels<T>(random, box), b = random_pixels<T>(random, box);
  const double k = std::is_floating_point_v<T> ? static_cast<float>(constant) : constant;
  const auto with = [&](auto other) {
    return computed<T>(box, [&](const Point& p) { return stored<T>(combine(a.at(p), other(p))); });
  };
  expect_operator<T, T>(random, name, {{"value", constant}}, {a}, with([&](const Point&) { return k; }));
  expect_operator<T, T>(random, name, {}, {a, b}, with([&](const Point& p) { return double(b.at(p)); }));
}

TEST(PointOperators, Arithmetic) {
  Random random(1);
  for_few_images([&]<class T>(std::type_identity<T>, const Box& box) {
    expect_both<T>(random, box, "add", 3, [](double a, double b) { return a + b; });
    expect_both<T>(random, box, "subtract", -7, [](double a, double b) { return a - b; });
    expect_both<T>(random, box, "difference", 100, [](double a, double b) { return std::abs(a - b); });
    expect_both<T>(random, box, "minimum", 101, [](double a, double b) { return std::min(a, b); });
    expect_both<T>(random, box, "maximum", 101, [](double a, double b) { return std::max(a, b); });
  });
}

TEST(PointOperators, Bits) {
  Random random(2);
  for_few_images([&]<class T>(std::type_identity<T>, const Box& box) {
    if constexpr (std::is_integral_v<T>) {
      expect_both<T>(random, box, "bit_and", 0x5a,
                     [](double a, double b) { return double(int(a) & int(b)); });
      expect_both<T>(random, box, "bit_or", 0x5a, [](double a, double b) { return double(int(a) | int(b)); });
      expect_both<T>(random, box, "bit_xor", 0x5a,
                     [](double a, double b) { return double(int(a) ^ int(b)); });
    }
  });
}

TEST(PointOperators, ConstantsBeyondTheType) {
  Random random(9);
  const auto expect = [&]<class T>(std::type_identity<T>, double constant) {
    const auto a = random_pixels<T>(random, {{0, 37}, {0, 23}});
    const auto with = [&](const std::string& name, double (*combine)(double, double)) {
      expect_operator<T, T>(random, name, {{"value", constant}}, {a}, computed<T>(a.box, [&](const Point& p) {
                              return stored<T>(combine(a.at(p), constant));
                            }));
    };
    with("add", [](double v, double k) { return v + k; });
    with("subtract", [](double v, double k) { return v - k; });
    with("difference", [](double v, double k) { return std::abs(v - k); });
    with("minimum", [](double v, double k) { return std::min(v, k); });
    with("maximum", [](double v, double k) { return std::max(v, k); });
  };
  for (const double constant : {-300.0, 256.0, 300.0, 1e30})
    expect(std::type_identity<std::uint8_t>(), constant);
  for (const double constant : {-70000.0, 65536.0, 70000.0, 140000.0})
    expect(std::type_identity<std::uint16_t>(), constant);
}

/// NaN in one of two images is NaN in their minimum and maximum, wherever it is.
TEST(PointOperators, NaNsAndInfinities) {
  Random random(10);
  const Box box{{0, 37}, {0, 23}};
  const auto a = random_pixels<float>(random, box, Pixels::any),
             b = random_pixels<float>(random, box, Pixels::any);
  const auto expect = [&](const std::string& name, float (*combine)(float, float)) {
    expect_operator<float, float>(random, name, {}, {a, b}, computed<float>(box, [&](const Point& p) {
                                    return combine(a.at(p), b.at(p));
                                  }));
    expect_operator<float, float>(
        random, name, {{"value", 0.25}}, {a},
        computed<float>(box, [&](const Point& p) { return combine(a.at(p), 0.25F); }));
  };
  expect("difference", [](float v, float w) { return std::abs(v - w); });
  expect("minimum", [](float v, float w) { return std::isnan(v) ? v : std::isnan(w) ? w : std::min(v, w); });
  expect("maximum", [](float v, float w) { return std::isnan(v) ? v : std::isnan(w) ? w : std::max(v, w); });
}

TEST(PointOperators, ProductsAndQuotients) {
  Random random(3);
  for_few_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box), b = random_pixels<T>(random, box);
    const double error = float_error<T>();
    expect_near<T, T>(random, "multiply", {{"value", 1.3}}, {a},
                      computed<double>(box, [&](const Point& p) { return a.at(p) * 1.3; }),
                      std::is_same_v<T, std::uint8_t> ? 0 : error);
    expect_operator<T, T>(random, "divide", {{"value", 4.0}}, {a},
                          computed<T>(box, [&](const Point& p) { return stored<T>(a.at(p) / 4.0); }));
    expect_near<T, T>(
        random, "multiply", {{"scale", 0.5}}, {a, b},
        computed<double>(box, [&](const Point& p) { return double(a.at(p)) * double(b.at(p)) * 0.5; }),
        error);
    if constexpr (std::is_integral_v<T>)
      expect_near<T, T>(
          random, "divide", {{"scale", 64.0}}, {a, b},
          computed<double>(box, [&](const Point& p) { return b.at(p) == 0 ? 0 : 64.0 * a.at(p) / b.at(p); }),
          error);
    else
      expect_operator<T, T>(random, "divide", {}, {a, b},
                            computed<T>(box, [&](const Point& p) { return a.at(p) / b.at(p); }));
  });
}

TEST(PointOperators, Triadic) {
  Random random(4);
  for_few_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box), b = random_pixels<T>(random, box),
               c = random_pixels<T>(random, box);
    expect_near<T, T>(random, "blend", {}, {a, b, c},
                      computed<double>(box,
                                       [&](const Point& p) {
                                         const double alpha = c.at(p) / white_of<T>();
                                         return a.at(p) * alpha + b.at(p) * (1 - alpha);
                                       }),
                      float_error<T>());
    const double range = white_of<T>() * white_of<T>();
    expect_near<T, float>(random, "squared_differences", {}, {a, b, c},
                          computed<double>(box,
                                           [&](const Point& p) {
                                             const double one = double(a.at(p)) - double(b.at(p)),
                                                          two = double(a.at(p)) - double(c.at(p));
                                             return one * one + two * two;
                                           }),
                          range * 1e-5);
  });
}

TEST(PointOperators, Tones) {
  Random random(5);
  for_few_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const double white = white_of<T>();
    const auto expect = [&](const std::string& name, const operators::ParameterValues& values, auto function,
                            double error) {
      expect_near<T, T>(random, name, values, {a},
                        computed<double>(box, [&](const Point& p) { return function(double(a.at(p))); }),
                        error);
    };
    expect(
        "abs", {}, [](double v) { return std::abs(v); }, 0);
    expect(
        "invert", {}, [&](double v) { return static_cast<T>(T(white) - T(v)); }, 0);
    expect(
        "limit", {{"low", 0.25}, {"high", 102.0}},
        [](double v) { return std::clamp(v, std::is_integral_v<T> ? 0.0 : 0.25, 102.0); }, 0);
    const auto levels = [white](double v, double black, double top, double exponent, double low,
                                double high) {
      const double share = std::clamp((v / white - black) / (top - black), 0.0, 1.0);
      return white * (low + (high - low) * std::pow(share, exponent));
    };
    const double close = std::is_same_v<T, std::uint16_t> ? 0.1 : float_error<T>();
    expect(
        "levels", {{"black", 0.1}, {"white", 0.7}, {"low", 0.2}, {"high", 0.9}},
        [&](double v) { return levels(v, 0.1, 0.7, 1, 0.2, 0.9); }, close);
    expect(
        "levels", {{"black", 0.1}, {"white", 0.7}, {"exponent", 2.2}},
        [&](double v) { return levels(v, 0.1, 0.7, 2.2, 0, 1); }, close);
    expect(
        "gamma", {{"exponent", 0.45}}, [&](double v) { return levels(v, 0, 1, 0.45, 0, 1); }, close);
  });
}

TEST(PointOperators, Thresholds) {
  Random random(6);
  for_few_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    for (const double level : {std::is_integral_v<T> ? 101.5 : 0.5, -3.0, 65535.0}) {
      const auto expect = [&](const std::string& mode, auto function) {
        expect_operator<T, T>(random, "threshold",
                              {{"value", level}, {"mode", mode}, {"low", 0.75}, {"high", 8.5}}, {a},
                              computed<T>(box, [&](const Point& p) { return function(a.at(p)); }));
      };
      const T low = stored<T>(0.75), high = stored<T>(8.5);
      const T most = stored<T>(std::is_integral_v<T> ? std::floor(level) : level);
      expect("binary", [&](T v) { return v > level ? high : low; });
      expect("inverse", [&](T v) { return v > level ? low : high; });
      expect("truncate", [&](T v) { return v > level ? most : v; });
      expect("keep_above", [&](T v) { return v > level ? v : low; });
      expect("keep_below", [&](T v) { return v > level ? low : v; });
    }
    expect_operator<T, T>(random, "threshold", {{"value", 0.4}}, {a}, computed<T>(box, [&](const Point& p) {
                            return a.at(p) > T(0.4F) ? white_of<T>() : 0;
                          }));
    expect_operator<T, T>(random, "threshold", {{"value", 0.4}, {"low", 5.0}, {"high", 0.0}}, {a},
                          computed<T>(box, [&](const Point& p) { return a.at(p) > T(0.4F) ? 0 : 5; }));
  });
}

TEST(PointOperators, TablesOfBytes) {
  Random random(7);
  std::vector<double> table(256);
  for (double& entry : table) entry = random.real(-20, 280);
  for (const Box& box : {Box{{0, 1}, {0, 1}}, Box{{0, 37}, {0, 23}}, Box{{0, 19}, {0, 11}, {0, 3}}}) {
    const auto a = random_pixels<std::uint8_t>(random, box);
    expect_operator<std::uint8_t, std::uint8_t>(
        random, "lookup", {{"table", table}}, {a},
        computed<std::uint8_t>(box, [&](const Point& p) { return stored<std::uint8_t>(table[a.at(p)]); }));
  }
}

template <class From, class To>
void expect_cast(Random& random, const Box& box) {
  const auto a = random_pixels<From>(random, box);
  const std::string to(name_of(element_type_of<To>()));
  const double error = std::is_floating_point_v<To> ? 1e-4 : float_error<To>();
  expect_operator<From, To>(random, "cast", {{"to", to}}, {a},
                            computed<To>(box, [&](const Point& p) { return stored<To>(a.at(p)); }));
  expect_near<From, To>(random, "cast", {{"to", to}, {"scale", 1.5}, {"offset", -3.0}}, {a},
                        computed<double>(box, [&](const Point& p) { return a.at(p) * 1.5 - 3; }), error);
  const double stretch = white_of<To>() / white_of<From>();
  expect_near<From, To>(random, "cast", {{"to", to}, {"full_range", true}}, {a},
                        computed<double>(box, [&](const Point& p) { return a.at(p) * stretch; }), error);
}

TEST(PointOperators, Casts) {
  Random random(8);
  for_few_images([&]<class T>(std::type_identity<T>, const Box& box) {
    expect_cast<T, std::uint8_t>(random, box);
    expect_cast<T, std::uint16_t>(random, box);
    expect_cast<T, float>(random, box);
  });
}

/// The greatest number below a half is not rounded up.
TEST(PointOperators, CastsRoundToTheNearest) {
  Random random(12);
  WholeArray<float> image(Box{{0, 4}, {0, 2}});
  image.values = {0.49999997F, 0.5F, 1.4999999F, 1.5F, 253.5F, 254.49998F, -0.5F, 255.5F};
  const auto nearest = [&](const Point& p) { return stored<std::uint8_t>(image.at(p)); };
  expect_operator<float, std::uint8_t>(random, "cast", {{"to", "uint8"}}, {image},
                                       computed<std::uint8_t>(image.box, nearest));
}

}  // namespace
}  // namespace tessera::test
