// SPDX-License-Identifier: BSD-3-Clause
// Soundness of intervals: what an operation gives on members lies in what it gives on the intervals.
#include <gtest/gtest.h>

#include "pipeline/interval_sample.hpp"

namespace {

using namespace tessera;
using test::holds;
using test::text_of;

struct Add {
  static constexpr const char* name = "+";
  auto operator()(const auto& a, const auto& b) const { return a + b; }
};
struct Subtract {
  static constexpr const char* name = "-";
  auto operator()(const auto& a, const auto& b) const { return a - b; }
};
struct Multiply {
  static constexpr const char* name = "*";
  auto operator()(const auto& a, const auto& b) const { return a * b; }
};
struct Divide {
  static constexpr const char* name = "/";
  auto operator()(const auto& a, const auto& b) const { return a / b; }
};
struct Remainder {
  static constexpr const char* name = "%";
  auto operator()(const auto& a, const auto& b) const { return a % b; }
};

/// C++ defines the result: no signed overflow, no division by zero.
template <class Operation, class R>
bool is_defined(Operation, const R& a, const R& b) {
  if constexpr (std::is_same_v<R, Coordinate>) {
    return b.value != std::numeric_limits<int>::lowest() && is_defined(Operation(), a.value, b.value);
  } else if constexpr (std::is_floating_point_v<R>) {
    return true;
  } else {
    [[maybe_unused]] R result{};
    constexpr bool divides = std::is_same_v<Operation, Divide> || std::is_same_v<Operation, Remainder>;
    if constexpr (divides)
      return b != 0 && !(std::is_signed_v<R> && b == R(-1) && a == std::numeric_limits<R>::lowest());
    if constexpr (std::is_unsigned_v<R>) return true;
    if constexpr (std::is_same_v<Operation, Add>) return !__builtin_add_overflow(a, b, &result);
    if constexpr (std::is_same_v<Operation, Subtract>) return !__builtin_sub_overflow(a, b, &result);
    return !__builtin_mul_overflow(a, b, &result);
  }
}

template <class Operation, class A, class B>
void expect_member(Operation operation, const Interval<arithmetic_result<A, B>>& result, const A& a,
                   const B& b) {
  using R = arithmetic_result<A, B>;
  const R left = static_cast<R>(a), right = static_cast<R>(b);
  if (!is_defined(operation, left, right)) return;
  const R value = static_cast<R>(operation(left, right));
  EXPECT_TRUE(holds(result, value)) << text_of(a) << " " << Operation::name << " " << text_of(b) << " is "
                                    << text_of(value) << ", not in " << text_of(result);
}

template <class Operation, class A, class B>
void expect_sound(Operation operation, std::uint64_t seed) {
  test::Random random(seed);
  Decisions decisions;
  for (int i = 0; i < 400; ++i) {
    const auto a = test::random_interval<A>(random, decisions);
    const auto b = test::random_interval<B>(random, decisions);
    const auto result = operation(a.interval, b.interval);
    for (const A& left : a.members)
      for (const B& right : b.members) expect_member(operation, result, left, right);
    // One operand a plain number.
    for (const A& left : a.members)
      expect_member(operation, operation(a.interval, b.members[0]), left, b.members[0]);
    for (const B& right : b.members)
      expect_member(operation, operation(a.members[0], b.interval), a.members[0], right);
  }
}

template <class Operation>
void expect_sound_for_integers(Operation operation) {
  expect_sound<Operation, int, int>(operation, 1);
  expect_sound<Operation, unsigned, unsigned>(operation, 2);
  expect_sound<Operation, unsigned, int>(operation, 3);
  expect_sound<Operation, std::uint8_t, std::uint8_t>(operation, 4);
  expect_sound<Operation, std::uint16_t, std::uint8_t>(operation, 5);
  expect_sound<Operation, std::uint16_t, int>(operation, 6);
  expect_sound<Operation, std::int8_t, std::uint16_t>(operation, 7);
  expect_sound<Operation, std::int64_t, std::int64_t>(operation, 8);
  expect_sound<Operation, std::uint64_t, std::uint64_t>(operation, 9);
  expect_sound<Operation, std::uint64_t, std::uint8_t>(operation, 10);
  expect_sound<Operation, Coordinate, Coordinate>(operation, 11);
  expect_sound<Operation, Coordinate, int>(operation, 12);
  expect_sound<Operation, std::uint8_t, Coordinate>(operation, 13);
}

template <class Operation>
void expect_sound_for_all(Operation operation) {
  expect_sound_for_integers(operation);
  expect_sound<Operation, float, float>(operation, 21);
  expect_sound<Operation, double, double>(operation, 22);
  expect_sound<Operation, float, double>(operation, 23);
  expect_sound<Operation, float, int>(operation, 24);
  expect_sound<Operation, std::uint16_t, float>(operation, 25);
  expect_sound<Operation, double, std::int64_t>(operation, 26);
}

TEST(Interval, AdditionIsSound) { expect_sound_for_all(Add()); }
TEST(Interval, SubtractionIsSound) { expect_sound_for_all(Subtract()); }
TEST(Interval, MultiplicationIsSound) { expect_sound_for_all(Multiply()); }
TEST(Interval, DivisionIsSound) { expect_sound_for_all(Divide()); }
TEST(Interval, RemainderIsSound) { expect_sound_for_integers(Remainder()); }

TEST(Interval, NegationIsSound) {
  test::Random random(31);
  Decisions decisions;
  for (int i = 0; i < 1000; ++i) {
    const auto f = test::random_interval<float>(random, decisions);
    for (float member : f.members) EXPECT_TRUE(holds(-f.interval, -member));
    const auto u = test::random_interval<std::uint8_t>(random, decisions);
    for (std::uint8_t member : u.members) EXPECT_TRUE(holds(-u.interval, -member));
    const auto c = test::random_interval<Coordinate>(random, decisions);
    for (Coordinate member : c.members) EXPECT_TRUE(holds(-c.interval, -member));
  }
}

template <class A, class B>
void expect_comparisons_sound(std::uint64_t seed) {
  test::Random random(seed);
  Decisions decisions;
  for (int i = 0; i < 600; ++i) {
    const auto a = test::random_interval<A>(random, decisions);
    const auto b = test::random_interval<B>(random, decisions);
    const auto& x = a.interval;
    const auto& y = b.interval;
    for (const A& p : a.members)
      for (const B& q : b.members) {
        const std::string text = text_of(x).append(" and ").append(text_of(y));
        EXPECT_TRUE(holds(x < y, p < q)) << text;
        EXPECT_TRUE(holds(x <= y, p <= q)) << text;
        EXPECT_TRUE(holds(x > y, p > q)) << text;
        EXPECT_TRUE(holds(x >= y, p >= q)) << text;
        EXPECT_TRUE(holds(x == y, p == q)) << text;
        EXPECT_TRUE(holds(x != y, p != q)) << text;
        EXPECT_TRUE(holds(x < y && x == y, p < q && p == q)) << text;
        EXPECT_TRUE(holds(x < y || x == y, p < q || p == q)) << text;
        EXPECT_TRUE(holds(!(x < y), !(p < q))) << text;
      }
  }
}

TEST(Interval, ComparisonsAreSound) {
  expect_comparisons_sound<int, int>(41);
  expect_comparisons_sound<unsigned, unsigned>(42);
  expect_comparisons_sound<std::uint8_t, int>(43);
  expect_comparisons_sound<std::uint64_t, std::uint64_t>(44);
  expect_comparisons_sound<float, float>(45);
  expect_comparisons_sound<double, float>(46);
  expect_comparisons_sound<float, int>(47);
  expect_comparisons_sound<Coordinate, Coordinate>(48);
  expect_comparisons_sound<Coordinate, int>(49);
}

TEST(Interval, DecidedComparisonsAreDecided) {
  Decisions decisions;
  const Interval<int> low(0, 4, &decisions), high(5, 9, &decisions), touching(4, 6, &decisions);
  EXPECT_EQ((low < high).value, Truth::yes);
  EXPECT_EQ((high < low).value, Truth::no);
  EXPECT_EQ((low >= high).value, Truth::no);
  EXPECT_EQ((low < touching).value, Truth::either);
  EXPECT_EQ((low <= touching).value, Truth::yes);
  EXPECT_EQ((low == high).value, Truth::no);
  EXPECT_EQ((Interval<int>(3, 3, &decisions) == 3).value, Truth::yes);
  EXPECT_EQ((Interval<float>(0, 1, &decisions, true) < 2.0f).value, Truth::either)
      << "NaN is less than nothing";
}

/// An operation may be contracted with the one before it, where the compiler likes to.
template <class T>
void expect_sound_when_contracted(std::uint64_t seed) {
  test::Random random(seed);
  Decisions decisions;
  for (int i = 0; i < 3000; ++i) {
    const auto a = test::random_interval<T>(random, decisions);
    const auto b = test::random_interval<T>(random, decisions);
    auto c = test::random_interval<T>(random, decisions);
    if (random.chance(50)) c.members = {-a.members[0] * b.members[0]};
    if (c.members.size() == 1) c.interval = Interval<T>(c.members[0]);
    const auto sum = a.interval * b.interval + c.interval;
    const auto difference = c.interval - a.interval * b.interval;
    for (T x : a.members)
      for (T y : b.members)
        for (T z : c.members) {
          EXPECT_TRUE(holds(sum, std::fma(x, y, z)))
              << text_of(x) << " * " << text_of(y) << " + " << text_of(z) << " not in " << text_of(sum);
          EXPECT_TRUE(holds(difference, std::fma(-x, y, z)))
              << text_of(z) << " - " << text_of(x) << " * " << text_of(y) << " not in "
              << text_of(difference);
        }
  }
}

TEST(Interval, ContractionIsCovered) {
  expect_sound_when_contracted<float>(51);
  expect_sound_when_contracted<double>(52);
}

TEST(Interval, IntegersThatMayWrapBecomeTheWholeRange) {
  Decisions decisions;
  const Interval<int> large(0, std::numeric_limits<int>::max(), &decisions);
  const auto sum = large + 1;
  EXPECT_EQ(sum.lower, std::numeric_limits<int>::lowest());
  EXPECT_EQ(sum.upper, std::numeric_limits<int>::max());
  const auto difference = Interval<unsigned>(0, 5, &decisions) - 1u;
  EXPECT_EQ(difference.lower, 0);
  EXPECT_EQ(difference.upper, std::numeric_limits<unsigned>::max());
  const auto narrow = cast<std::uint8_t>(Interval<int>(250, 256, &decisions));
  EXPECT_EQ(narrow.lower, 0);
  EXPECT_EQ(narrow.upper, 255);
}

TEST(Interval, ValuesPromoteAsInCpp) {
  Decisions decisions;
  const Interval<std::uint8_t> pixel(0, 255, &decisions);
  const auto sum = pixel + pixel;
  EXPECT_TRUE((std::is_same_v<decltype(sum), const Interval<int>>));
  EXPECT_EQ(sum.upper, 510);
  EXPECT_TRUE((std::is_same_v<decltype(pixel * 2.0f), Interval<float>>));
  EXPECT_TRUE((std::is_same_v<decltype(pixel * 2u), Interval<unsigned>>));
  const Interval<Coordinate> x(-3, 5, &decisions);
  EXPECT_TRUE((std::is_same_v<decltype(x + pixel), Interval<Coordinate>>));
  EXPECT_EQ((x / 2).lower, -2);
  EXPECT_EQ((x % 4).lower, 0);
  EXPECT_EQ((x % 4).upper, 3);
}

TEST(Interval, CompoundAssignmentKeepsItsType) {
  Decisions decisions;
  Interval<float> sum(0, 1, &decisions);
  sum += 2.0;
  EXPECT_TRUE(holds(sum, 3.0f) && holds(sum, 2.0f) && !holds(sum, 3.1f));
  sum *= Interval<float>(-1, 2, &decisions);
  EXPECT_TRUE(holds(sum, -3.0f) && holds(sum, 6.0f) && !holds(sum, 6.1f));
  sum -= 1;
  sum /= 2;
  EXPECT_TRUE(holds(sum, -2.0f) && holds(sum, 2.5f) && !holds(sum, 2.6f));
  Interval<std::uint8_t> count(0, 200, &decisions);
  count += 100;
  EXPECT_EQ(count.upper, 255) << "it may have wrapped";
}

}  // namespace
