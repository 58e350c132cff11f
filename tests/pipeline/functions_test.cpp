// SPDX-License-Identifier: BSD-3-Clause
// The functions for stage bodies: soundness on intervals, and what they mean on numbers.
#include "tessera/pipeline/body/functions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "domain/random.hpp"
#include "pipeline/interval_sample.hpp"

namespace {

using namespace tessera;
using test::holds;
using test::text_of;

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

template <class T>
bool is_nan(const T& value) {
  return value != value;
}

TEST(Functions, MinAndMaxDropNanInTheFirstArgument) {
  EXPECT_EQ(tessera::min(nan_value, 3.0f), 3.0f);
  EXPECT_EQ(tessera::max(nan_value, 3.0f), 3.0f);
  EXPECT_TRUE(is_nan(tessera::min(3.0f, nan_value)));
  EXPECT_TRUE(is_nan(tessera::max(3.0f, nan_value)));
  EXPECT_EQ(tessera::clamp(nan_value, -1.0f, 2.0f), -1.0f);
}

TEST(Functions, RoundedIsTheNearestElement) {
  const std::pair<float, int> results[] = {{nan_value, 0}, {-3, 0},       {0.49999997f, 0}, {0.5f, 1},
                                           {1.5f, 2},      {254.4f, 254}, {255.5f, 255},    {1e30f, 255}};
  for (const auto& [value, expected] : results) EXPECT_EQ(rounded<std::uint8_t>(value), expected) << value;
  EXPECT_EQ(rounded<std::uint16_t>(0.49999999999999994), 0);
  EXPECT_EQ(rounded<float>(0.25), 0.25f);
}

TEST(Functions, MultiplyRoundedIsTheNearestInteger) {
  for (int a = -32768; a <= 32767; a += 17)
    for (const int b : {-32768, -32767, -20000, -3, -1, 0, 1, 2, 16384, 32766, 32767})
      if (a > -32768 || b > -32768) {
        const int expected = static_cast<int>(std::floor(static_cast<double>(a) * b / 32768 + 0.5));
        ASSERT_EQ(multiply_rounded(static_cast<std::int16_t>(a), static_cast<std::int16_t>(b)), expected)
            << a << " * " << b;
      }
}

TEST(Functions, MultiplyRoundedAndShiftsOfIntervalsHoldEveryResult) {
  Decisions decisions;
  test::Random random(8);
  for (int repetition = 0; repetition < 300; ++repetition) {
    std::int64_t bounds[4];
    for (auto& bound : bounds) bound = random.small(-32767, 32767);
    std::sort(bounds, bounds + 2);
    std::sort(bounds + 2, bounds + 4);
    const Interval<std::int16_t> a(bounds[0], bounds[1], &decisions), b(bounds[2], bounds[3], &decisions);
    for (int sample = 0; sample < 20; ++sample) {
      const auto p =
          static_cast<std::int16_t>(random.small(static_cast<int>(bounds[0]), static_cast<int>(bounds[1])));
      const auto q =
          static_cast<std::int16_t>(random.small(static_cast<int>(bounds[2]), static_cast<int>(bounds[3])));
      ASSERT_TRUE(holds(multiply_rounded(a, b), multiply_rounded(p, q))) << p << " * " << q;
      ASSERT_TRUE(holds(multiply_rounded(a, q), multiply_rounded(p, q))) << p << " * " << q;
      ASSERT_TRUE(holds(a >> 3, p >> 3)) << p;
    }
    EXPECT_EQ((a >> 3).lower, bounds[0] >> 3);
    EXPECT_EQ((a >> 3).upper, bounds[1] >> 3);
  }
}

TEST(Functions, MeanOnNumbersWhatTheirNamesSay) {
  EXPECT_EQ(tessera::min(std::uint8_t(7), -2), -2);
  EXPECT_EQ(tessera::max(Coordinate(4), 9).value, 9);
  EXPECT_EQ(tessera::clamp(300, 0, 255), 255);
  EXPECT_EQ(tessera::clamp(-3.5f, 0, 1), 0.0f);
  EXPECT_EQ(tessera::abs(-2.5), 2.5);
  EXPECT_EQ(tessera::abs(Coordinate(-7)).value, 7);
  EXPECT_EQ(tessera::abs(std::int8_t(-128)), 128);
  EXPECT_EQ(tessera::sqrt(2.25f), 1.5f);
  EXPECT_EQ(tessera::select(true, 1, 2.5), 1.0);
  EXPECT_EQ(tessera::select(false, 1, 2.5), 2.5);
  EXPECT_EQ(tessera::cast<std::uint8_t>(259), 3);
  EXPECT_EQ(tessera::cast<float>(Coordinate(-3)), -3.0f);
  EXPECT_TRUE((std::is_same_v<decltype(tessera::min(1, 2.0f)), float>));
  EXPECT_TRUE((std::is_same_v<decltype(tessera::max(std::uint8_t(1), std::uint8_t(2))), int>));
}

template <class A, class B>
void expect_binary_sound(std::uint64_t seed) {
  test::Random random(seed);
  Decisions decisions;
  for (int i = 0; i < 1000; ++i) {
    const auto a = test::random_interval<A>(random, decisions);
    const auto b = test::random_interval<B>(random, decisions);
    const B& number = b.members[0];
    const auto least = tessera::min(a.interval, b.interval), most = tessera::max(a.interval, b.interval);
    const auto with_number = tessera::min(a.interval, number),
               with_number_first = tessera::max(number, a.interval);
    const auto chosen = select(a.interval < b.interval, a.interval, b.interval);
    const auto fixed = select(i % 2 == 0, a.interval, number);
    for (const A& p : a.members) {
      const std::string text =
          text_of(a.interval).append(", ").append(text_of(p)).append(" and ").append(text_of(b.interval));
      EXPECT_TRUE(holds(with_number, tessera::min(p, number))) << text << " by " << text_of(number);
      EXPECT_TRUE(holds(with_number_first, tessera::max(number, p))) << text << " by " << text_of(number);
      EXPECT_TRUE(holds(fixed, select(i % 2 == 0, p, number))) << text;
      for (const B& q : b.members) {
        EXPECT_TRUE(holds(least, tessera::min(p, q))) << text << ", " << text_of(q) << ": " << text_of(least);
        EXPECT_TRUE(holds(most, tessera::max(p, q))) << text << ", " << text_of(q) << ": " << text_of(most);
        EXPECT_TRUE(holds(chosen, select(p < q, p, q)))
            << text << ", " << text_of(q) << ": " << text_of(chosen);
      }
    }
  }
}

TEST(Functions, MinMaxAndSelectAreSound) {
  expect_binary_sound<int, int>(61);
  expect_binary_sound<std::uint8_t, int>(62);
  expect_binary_sound<unsigned, unsigned>(63);
  expect_binary_sound<float, float>(64);
  expect_binary_sound<double, float>(65);
  expect_binary_sound<std::uint64_t, std::uint64_t>(66);
  expect_binary_sound<Coordinate, int>(67);
  expect_binary_sound<float, std::uint16_t>(68);
}

TEST(Functions, AConstantNanIsSound) {
  Decisions decisions;
  const Interval<float> pixel(-2, 9, &decisions, true);
  for (float p : {-2.0f, 9.0f, nan_value}) {
    EXPECT_TRUE(holds(tessera::min(nan_value, pixel), tessera::min(nan_value, p)));
    EXPECT_TRUE(holds(tessera::max(pixel, nan_value), tessera::max(p, nan_value)));
    EXPECT_TRUE(holds(select(pixel > 0.0f, nan_value, pixel), select(p > 0.0f, nan_value, p)));
    EXPECT_TRUE(holds(select(pixel > 0.0f, pixel, nan_value), select(p > 0.0f, p, nan_value)));
    EXPECT_TRUE(holds(clamp(select(pixel > 0.0f, nan_value, pixel), -1.0f, 1.0f), -1.0f));
    EXPECT_TRUE(holds(pixel + nan_value, p + nan_value));
  }
}

template <class T>
void expect_clamped(std::uint64_t seed) {
  test::Random random(seed);
  Decisions decisions;
  for (int i = 0; i < 1000; ++i) {
    const auto value = test::random_interval<T>(random, decisions);
    const auto limited = clamp(value.interval, T(0), T(12));
    EXPECT_TRUE(limited.lower >= 0 && limited.upper <= 12 && !limited.maybe_nan) << text_of(limited);
    for (const T& p : value.members) EXPECT_TRUE(holds(limited, clamp(p, T(0), T(12)))) << text_of(p);
  }
}

TEST(Functions, ClampAlwaysLiesInItsLimits) {
  expect_clamped<float>(71);
  expect_clamped<double>(72);
  expect_clamped<int>(73);
}

template <class T>
void expect_abs_sound(std::uint64_t seed) {
  test::Random random(seed);
  Decisions decisions;
  for (int i = 0; i < 1000; ++i) {
    const auto value = test::random_interval<T>(random, decisions);
    const auto result = tessera::abs(value.interval);
    for (const T& p : value.members) {
      if constexpr (std::is_same_v<T, int>)
        if (p == std::numeric_limits<int>::lowest()) continue;
      EXPECT_TRUE(holds(result, tessera::abs(p))) << text_of(p) << " in " << text_of(value.interval);
    }
  }
}

TEST(Functions, AbsIsSound) {
  expect_abs_sound<int>(81);
  expect_abs_sound<std::int8_t>(82);
  expect_abs_sound<std::uint16_t>(83);
  expect_abs_sound<float>(84);
  expect_abs_sound<double>(85);
  expect_abs_sound<Coordinate>(86);
}

template <class T>
void expect_sqrt_sound(std::uint64_t seed) {
  test::Random random(seed);
  Decisions decisions;
  for (int i = 0; i < 2000; ++i) {
    const auto value = test::random_interval<T>(random, decisions);
    const auto result = tessera::sqrt(value.interval);
    for (T p : value.members)
      EXPECT_TRUE(holds(result, tessera::sqrt(p))) << text_of(p) << ": " << text_of(result);
  }
}

TEST(Functions, SqrtIsSound) {
  expect_sqrt_sound<float>(91);
  expect_sqrt_sound<double>(92);
  Decisions decisions;
  const auto root = tessera::sqrt(Interval<float>(4, 9, &decisions));
  EXPECT_TRUE(root.lower > 1.9f && root.upper < 3.1f && !root.maybe_nan);
}

struct Exp {
  template <class V>
  auto operator()(const V& value) const {
    return tessera::exp(value);
  }
};
struct Log {
  template <class V>
  auto operator()(const V& value) const {
    return tessera::log(value);
  }
};
struct Floor {
  template <class V>
  auto operator()(const V& value) const {
    return tessera::floor(value);
  }
};
struct Ceil {
  template <class V>
  auto operator()(const V& value) const {
    return tessera::ceil(value);
  }
};
struct Round {
  template <class V>
  auto operator()(const V& value) const {
    return tessera::round(value);
  }
};

template <class T, class Function>
void expect_function_sound(const Function& function, std::uint64_t seed) {
  test::Random random(seed);
  Decisions decisions;
  for (int i = 0; i < 2000; ++i) {
    const auto value = test::random_interval<T>(random, decisions);
    const auto result = function(value.interval);
    for (T p : value.members) {
      EXPECT_TRUE(holds(result, function(p)))
          << text_of(p) << ": " << text_of(function(p)) << ", " << text_of(result);
    }
  }
}

TEST(Functions, ElementaryOnesAreSound) {
  expect_function_sound<float>(Floor(), 121);
  expect_function_sound<double>(Floor(), 122);
  expect_function_sound<float>(Ceil(), 123);
  expect_function_sound<float>(Round(), 124);
  expect_function_sound<double>(Round(), 125);
  expect_function_sound<float>(Exp(), 126);
  expect_function_sound<double>(Exp(), 127);
  expect_function_sound<float>(Log(), 128);
  expect_function_sound<double>(Log(), 129);
}

TEST(Functions, ElementaryOnesRoundAndBound) {
  EXPECT_EQ(tessera::floor(-2.5f), -3.0f);
  EXPECT_EQ(tessera::ceil(-2.5), -2.0);
  EXPECT_EQ(tessera::round(-2.5f), -3.0f);
  EXPECT_EQ(tessera::round(2.5f), 3.0f);
  EXPECT_EQ(tessera::exp(0.0f), 1.0f);
  EXPECT_EQ(tessera::log(1.0), 0.0);
  Decisions decisions;
  const auto whole = tessera::floor(Interval<float>(-1.5f, 2.25f, &decisions));
  EXPECT_TRUE(whole.lower == -2 && whole.upper == 2 && !whole.maybe_nan);
  const auto power = tessera::exp(Interval<float>(-200, 1, &decisions));
  EXPECT_TRUE(power.lower == 0 && power.upper < 2.7183f);
  const auto logarithm = tessera::log(Interval<float>(1, 3, &decisions));
  EXPECT_TRUE(logarithm.lower > -1e-6f && logarithm.upper < 1.0987f);
}

/// C++ defines the conversion.
template <class To, class From>
bool is_defined(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
    return value > static_cast<From>(std::numeric_limits<To>::lowest()) - 1 &&
           value < static_cast<From>(std::numeric_limits<To>::max());
  else
    return true;
}

template <class To, class From>
void expect_cast_sound(std::uint64_t seed) {
  test::Random random(seed);
  Decisions decisions;
  for (int i = 0; i < 1000; ++i) {
    const auto value = test::random_interval<From>(random, decisions);
    const auto result = cast<To>(value.interval);
    for (const From& p : value.members) {
      if constexpr (!std::is_same_v<From, Coordinate>)
        if (!is_defined<To>(p)) continue;
      EXPECT_TRUE(holds(result, cast<To>(p)))
          << text_of(p) << " of " << text_of(value.interval) << " as " << text_of(result);
    }
  }
}

TEST(Functions, CastIsSound) {
  expect_cast_sound<int, float>(101);
  expect_cast_sound<std::uint8_t, double>(102);
  expect_cast_sound<std::uint8_t, int>(103);
  expect_cast_sound<std::int8_t, std::uint8_t>(104);
  expect_cast_sound<unsigned, int>(105);
  expect_cast_sound<float, int>(106);
  expect_cast_sound<float, std::int64_t>(107);
  expect_cast_sound<float, double>(108);
  expect_cast_sound<double, float>(109);
  expect_cast_sound<std::uint64_t, std::int64_t>(110);
  expect_cast_sound<int, std::uint64_t>(111);
  expect_cast_sound<float, Coordinate>(112);
  expect_cast_sound<std::uint8_t, Coordinate>(113);
  expect_cast_sound<double, std::uint64_t>(114);
}

}  // namespace
