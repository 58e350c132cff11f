// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/point.hpp"

#include "operators/operator_run.hpp"

namespace tessera::test {
namespace {

template <class T>
using Combine = double (*)(T, T);

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
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    for (const double constant : {3.0, -7.0, 70000.0}) {
      expect_both<T>(random, box, "add", constant, [](double a, double b) { return a + b; });
      expect_both<T>(random, box, "subtract", constant, [](double a, double b) { return a - b; });
    }
    expect_both<T>(random, box, "difference", 100, [](double a, double b) { return std::abs(a - b); });
    expect_both<T>(random, box, "minimum", 101, [](double a, double b) { return std::min(a, b); });
    expect_both<T>(random, box, "maximum", 101, [](double a, double b) { return std::max(a, b); });
  });
}

TEST(PointOperators, Bits) {
  Random random(2);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    if constexpr (std::is_integral_v<T>) {
      expect_both<T>(random, box, "bit_and", 0x5a,
                     [](double a, double b) { return double(int(a) & int(b)); });
      expect_both<T>(random, box, "bit_or", 0x5a, [](double a, double b) { return double(int(a) | int(b)); });
      expect_both<T>(random, box, "bit_xor", 0x5a,
                     [](double a, double b) { return double(int(a) ^ int(b)); });
    }
  });
}

TEST(PointOperators, ProductsAndQuotients) {
  Random random(3);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box), b = random_pixels<T>(random, box);
    const double close = std::is_floating_point_v<T> ? 1e-3 : 1;
    expect_operator<T, T>(random, "multiply", {{"value", 1.3}}, {a},
                          computed<T>(box, [&](const Point& p) { return stored<T>(a.at(p) * 1.3); }),
                          std::is_same_v<T, std::uint8_t> ? 0 : close);
    expect_operator<T, T>(random, "divide", {{"value", 4.0}}, {a},
                          computed<T>(box, [&](const Point& p) { return stored<T>(a.at(p) / 4.0); }));
    expect_operator<T, T>(
        random, "multiply", {{"scale", 0.5}}, {a, b},
        computed<T>(box, [&](const Point& p) { return stored<T>(double(a.at(p)) * double(b.at(p)) * 0.5); }),
        close);
    if constexpr (std::is_integral_v<T>)
      expect_operator<T, T>(
          random, "divide", {{"scale", 64.0}}, {a, b},
          computed<T>(
              box, [&](const Point& p) { return b.at(p) == 0 ? T(0) : stored<T>(64.0 * a.at(p) / b.at(p)); }),
          1);
    else
      expect_operator<T, T>(random, "divide", {}, {a, b},
                            computed<T>(box, [&](const Point& p) { return a.at(p) / b.at(p); }));
  });
}

TEST(PointOperators, Triadic) {
  Random random(4);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box), b = random_pixels<T>(random, box),
               c = random_pixels<T>(random, box);
    expect_operator<T, T>(random, "blend", {}, {a, b, c},
                          computed<T>(box,
                                      [&](const Point& p) {
                                        const double alpha = c.at(p) / white_of<T>();
                                        return stored<T>(a.at(p) * alpha + b.at(p) * (1 - alpha));
                                      }),
                          std::is_integral_v<T> ? 1 : 1e-5);
    const double range = white_of<T>() * white_of<T>();
    expect_operator<T, float>(random, "squared_differences", {}, {a, b, c},
                              computed<float>(box,
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
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const double white = white_of<T>();
    const auto expect = [&](const std::string& name, const operators::ParameterValues& values, auto function,
                            double tolerance) {
      expect_operator<T, T>(
          random, name, values, {a},
          computed<T>(box, [&](const Point& p) { return stored<T>(function(double(a.at(p)))); }), tolerance);
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
    const double close = std::is_same_v<T, float> ? 1e-5 : 1;
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
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const double level = std::is_integral_v<T> ? 101 : 0.5;
    const auto expect = [&](const std::string& mode, auto function) {
      expect_operator<T, T>(random, "threshold",
                            {{"value", level}, {"mode", mode}, {"low", 1.0}, {"high", 9.0}}, {a},
                            computed<T>(box, [&](const Point& p) { return function(a.at(p)); }));
    };
    expect("binary", [&](T v) { return v > level ? T(9) : T(1); });
    expect("inverse", [&](T v) { return v > level ? T(1) : T(9); });
    expect("truncate", [&](T v) { return v > level ? T(level) : v; });
    expect("keep_above", [&](T v) { return v > level ? v : T(1); });
    expect("keep_below", [&](T v) { return v > level ? T(1) : v; });
    expect_operator<T, T>(random, "threshold", {{"value", level}}, {a}, computed<T>(box, [&](const Point& p) {
                            return a.at(p) > level ? white_of<T>() : 0;
                          }));
  });
}

TEST(PointOperators, TablesOfBytes) {
  Random random(7);
  std::vector<double> table(256);
  for (double& entry : table) entry = random.real(-20, 280);
  for (const Box& box : operator_boxes()) {
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
  const double close = std::is_floating_point_v<To> ? 1e-4 : 1;
  expect_operator<From, To>(random, "cast", {{"to", to}}, {a},
                            computed<To>(box, [&](const Point& p) { return stored<To>(a.at(p)); }));
  expect_operator<From, To>(random, "cast", {{"to", to}, {"scale", 1.5}, {"offset", -3.0}}, {a},
                            computed<To>(box, [&](const Point& p) { return stored<To>(a.at(p) * 1.5 - 3); }),
                            close);
  expect_operator<From, To>(
      random, "cast", {{"to", to}, {"full_range", true}}, {a},
      computed<To>(box,
                   [&](const Point& p) { return stored<To>(a.at(p) / white_of<From>() * white_of<To>()); }),
      close);
}

TEST(PointOperators, Casts) {
  Random random(8);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    expect_cast<T, std::uint8_t>(random, box);
    expect_cast<T, std::uint16_t>(random, box);
    expect_cast<T, float>(random, box);
  });
}

}  // namespace
}  // namespace tessera::test
