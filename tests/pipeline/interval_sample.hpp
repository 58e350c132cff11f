// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <sstream>

#include "domain/random.hpp"
#include "tessera/pipeline/body/functions.hpp"

namespace tessera::test {

/// Numbers that break things more often than others.
template <class T>
T random_number(Random& random) {
  if constexpr (std::is_same_v<T, Coordinate>) {
    return random.chance(80) ? random.small(-50, 50) : random.small(-40000, 40000);
  } else if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    const int kind = random.small(0, 9);
    if (kind < 4) return static_cast<T>(random.small(-9, 9)) / 2;
    if (kind < 8) return static_cast<T>(random.real(-100, 100));
    const T extremes[] = {0,
                          -T(0),
                          Limits::max(),
                          -Limits::max(),
                          Limits::min(),
                          Limits::denorm_min(),
                          Limits::infinity(),
                          -Limits::infinity(),
                          T(1e20),
                          T(-3e15)};
    return extremes[random.small(0, 9)];
  } else {
    const int kind = random.small(0, 9);
    if (kind < 5) return static_cast<T>(random.small(std::is_signed_v<T> ? -9 : 0, 9));
    if (kind < 8) return static_cast<T>(random.bits() >> random.small(0, 63));
    constexpr T most = std::numeric_limits<T>::max();
    const T extremes[] = {std::numeric_limits<T>::lowest(), most, static_cast<T>(most / 2 + 1)};
    return extremes[random.small(0, 2)];
  }
}

/// An interval of T and numbers that lie in it, its ends among them.
template <class T>
struct IntervalSample {
  Interval<T> interval{T(0)};
  std::vector<T> members;
};

template <class T>
bool less(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Coordinate>)
    return a.value < b.value;
  else
    return a < b;
}

/// The bounds of 64-bit unsigned numbers stop at 2^63 - 1, which then stands for all above.
template <class T>
typename BoundOf<T>::type bound_of(T number) {
  if constexpr (std::is_same_v<T, std::uint64_t>)
    return static_cast<std::int64_t>(
        std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max()));
  else
    return static_cast<typename BoundOf<T>::type>(number);
}

template <class T>
IntervalSample<T> random_interval(Random& random, Decisions& decisions) {
  T low = random_number<T>(random), high = random.chance(25) ? low : random_number<T>(random);
  if (less(high, low)) std::swap(low, high);
  IntervalSample<T> sample;
  sample.members = {low, high};
  for (int i = 0; i < 12; ++i)
    if (const T number = random_number<T>(random); !less(number, low) && !less(high, number))
      sample.members.push_back(number);
  bool nan = false;
  if constexpr (std::is_floating_point_v<T>)
    if ((nan = random.chance(25))) sample.members.push_back(std::numeric_limits<T>::quiet_NaN());
  sample.interval = Interval<T>(bound_of(low), bound_of(high), &decisions, nan);
  return sample;
}

template <class T>
bool holds(const Interval<T>& interval, const T& number) {
  if constexpr (std::is_floating_point_v<T>) {
    if (number != number) return interval.maybe_nan;
    return interval.lower <= number && number <= interval.upper;
  } else {
    return interval.lower <= bound_of(number) && bound_of(number) <= interval.upper;
  }
}

inline bool holds(const Truth& truth, bool value) {
  return truth.value == Truth::either || (truth.value == Truth::yes) == value;
}

template <class T>
std::string text_of(const T& number) {
  std::ostringstream text;
  text.precision(17);
  if constexpr (std::is_same_v<T, Coordinate>)
    text << "coordinate " << number.value;
  else
    text << +number;
  return text.str();
}
template <class T>
std::string text_of(const Interval<T>& interval) {
  std::string text = "[";
  text.append(text_of(interval.lower)).append(", ").append(text_of(interval.upper));
  return text.append(interval.maybe_nan ? "] or NaN" : "]");
}

}  // namespace tessera::test
