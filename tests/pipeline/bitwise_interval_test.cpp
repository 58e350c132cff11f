// SPDX-License-Identifier: BSD-3-Clause
// Bitwise operators of intervals are sound: what they give on members lies in what they give on the
// intervals.
#include <gtest/gtest.h>

#include "pipeline/interval_sample.hpp"

namespace {

using namespace tessera;
using test::holds;
using test::text_of;

template <class A, class B>
void expect_sound(std::uint64_t seed) {
  test::Random random(seed);
  Decisions decisions;
  using R = arithmetic_result<A, B>;
  const auto expect = [](const Interval<R>& result, R value, const char* name) {
    EXPECT_TRUE(holds(result, value))
        << name << " gives " << text_of(value) << ", not in " << text_of(result);
  };
  for (int i = 0; i < 400; ++i) {
    const auto a = test::random_interval<A>(random, decisions);
    const auto b = test::random_interval<B>(random, decisions);
    for (const A& x : a.members)
      for (const B& y : b.members) {
        expect(a.interval & b.interval, static_cast<R>(x & y), "&");
        expect(a.interval | b.interval, static_cast<R>(x | y), "|");
        expect(a.interval ^ b.interval, static_cast<R>(x ^ y), "^");
        expect(a.interval & y, static_cast<R>(x & y), "& of a number");
        expect(x | b.interval, static_cast<R>(x | y), "| of a number");
      }
    using S = arithmetic_result<A, A>;
    for (const A& x : a.members) {
      EXPECT_TRUE(holds(~a.interval, static_cast<S>(~x))) << text_of(x);
      for (const int bits : {0, 1, 7, 31})
        EXPECT_TRUE(
            holds(a.interval << bits, static_cast<S>(static_cast<std::make_unsigned_t<S>>(x) << bits)))
            << text_of(x) << " << " << bits << " in " << text_of(a.interval << bits);
    }
  }
}

TEST(BitwiseIntervals, AreSound) {
  expect_sound<std::uint8_t, std::uint8_t>(1);
  expect_sound<std::uint16_t, int>(2);
  expect_sound<int, int>(3);
  expect_sound<std::uint32_t, std::uint32_t>(4);
  expect_sound<std::int64_t, int>(5);
  expect_sound<std::uint64_t, std::uint64_t>(6);
}

TEST(BitwiseIntervals, StayNarrow) {
  Decisions decisions;
  const Interval<std::uint8_t> byte(0, 255, &decisions);
  const auto low = byte & 15;
  EXPECT_EQ(low.lower, 0);
  EXPECT_EQ(low.upper, 15);
  const auto with = byte | 256;
  EXPECT_EQ(with.lower, 256);
  EXPECT_EQ(with.upper, 511);
  const auto other = byte ^ 3;
  EXPECT_EQ(other.lower, 0);
  EXPECT_EQ(other.upper, 255);
  const auto times = byte << 4;
  EXPECT_EQ(times.lower, 0);
  EXPECT_EQ(times.upper, 255 * 16);
  const auto not_any = ~byte;
  EXPECT_EQ(not_any.lower, -256);
  EXPECT_EQ(not_any.upper, -1);
  const auto known = Interval<int>(12) & 10;
  EXPECT_EQ(known.lower, 8);
  EXPECT_EQ(known.upper, 8);
}

}  // namespace
