// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/coordinate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

namespace {

using tessera::Coordinate;

TEST(Coordinate, DivisionFloors) {
  for (int a = -40; a <= 40; ++a)
    for (int b = -7; b <= 7; ++b) {
      if (b == 0) continue;
      const int expected = static_cast<int>(std::floor(static_cast<double>(a) / b));
      EXPECT_EQ((Coordinate(a) / Coordinate(b)).value, expected) << a << " / " << b;
    }
}

TEST(Coordinate, RemainderHasTheSignOfTheDivisor) {
  for (int a = -40; a <= 40; ++a)
    for (int b = -7; b <= 7; ++b) {
      if (b == 0) continue;
      const int rest = (Coordinate(a) % Coordinate(b)).value;
      EXPECT_EQ((Coordinate(a) / b).value * b + rest, a);
      EXPECT_TRUE(b > 0 ? 0 <= rest && rest < b : b < rest && rest <= 0) << a << " % " << b;
    }
}

TEST(Coordinate, OtherArithmeticAndComparisonsAreThoseOfIntegers) {
  for (int a = -6; a <= 6; ++a)
    for (int b = -6; b <= 6; ++b) {
      const Coordinate x = a, y = b;
      EXPECT_EQ((x + y).value, a + b);
      EXPECT_EQ((x - y).value, a - b);
      EXPECT_EQ((x * y).value, a * b);
      EXPECT_EQ((-x).value, -a);
      EXPECT_EQ(x < y, a < b);
      EXPECT_EQ(x <= y, a <= b);
      EXPECT_EQ(x > y, a > b);
      EXPECT_EQ(x >= y, a >= b);
      EXPECT_EQ(x == y, a == b);
      EXPECT_EQ(x != y, a != b);
    }
}

TEST(Coordinate, BecomesANumberOnlyExplicitly) {
  EXPECT_EQ(static_cast<float>(Coordinate(-3)), -3.0f);
  EXPECT_FALSE((std::is_convertible_v<Coordinate, int>));
  EXPECT_FALSE((std::is_convertible_v<Coordinate, float>));
}

template <class A, class B>
concept Multiplies = requires(A a, B b) { a* b; };
template <class A, class B>
concept Compares = requires(A a, B b) { a < b; };

TEST(Coordinate, DoesNotMixWithFloatingNumbers) {
  // Cutting 0.5 to 0 in silence would read where inference, which keeps the fraction, does not look.
  EXPECT_TRUE((Multiplies<Coordinate, int>));
  EXPECT_TRUE((Multiplies<unsigned char, Coordinate>));
  EXPECT_FALSE((Multiplies<Coordinate, float>));
  EXPECT_FALSE((Multiplies<double, Coordinate>));
  EXPECT_FALSE((Compares<Coordinate, float>));
  EXPECT_FALSE((std::is_convertible_v<float, Coordinate>));
}

}  // namespace
