// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace tessera::test {

/// A whole number of any size, as a sign and a magnitude: slow, simple, and nothing like ExactSum.
class ExactInteger {
 public:
  ExactInteger() = default;

  /// A finite number in units of 2^-1074. Infinities count as the power of two that follows the largest
  /// finite T.
  template <class T>
  static ExactInteger units(T number) {
    int exponent = 0;
    double fraction = std::frexp(static_cast<double>(number), &exponent);
    if (std::isinf(number)) {
      fraction = std::copysign(0.5, fraction);
      exponent = std::numeric_limits<T>::max_exponent + 1;
    }
    ExactInteger result;
    result.negative_ = fraction < 0;
    auto digits = static_cast<std::uint64_t>(std::ldexp(std::fabs(fraction), 53));
    int shift = exponent - 53 + 1074;
    for (; shift < 0 && digits != 0; ++shift) digits /= 2;  // no digit of a finite number is lost
    if (digits == 0) return ExactInteger();
    result.magnitude_.assign(static_cast<std::size_t>(shift / 8), 0);
    for (digits <<= shift % 8; digits != 0; digits /= 256)
      result.magnitude_.push_back(static_cast<std::uint8_t>(digits % 256));
    return result;
  }

  bool zero() const { return magnitude_.empty(); }
  bool negative() const { return negative_; }

  ExactInteger operator-() const {
    ExactInteger result = *this;
    result.negative_ = !zero() && !negative_;
    return result;
  }

  ExactInteger& operator+=(const ExactInteger& other) {
    if (negative_ == other.negative_ || zero() || other.zero()) {
      if (zero()) negative_ = other.negative_;
      magnitude_ = sum(magnitude_, other.magnitude_);
    } else if (compare(magnitude_, other.magnitude_) >= 0) {
      magnitude_ = difference(magnitude_, other.magnitude_);
    } else {
      magnitude_ = difference(other.magnitude_, magnitude_);
      negative_ = other.negative_;
    }
    negative_ = negative_ && !zero();
    return *this;
  }

  /// -1, 0 or 1: whether the magnitude of this is smaller, the same or larger.
  int compare_magnitude(const ExactInteger& other) const { return compare(magnitude_, other.magnitude_); }

 private:
  using Magnitude = std::vector<std::uint8_t>;  // least first, the last not zero

  static void trim(Magnitude& a) {
    while (!a.empty() && a.back() == 0) a.pop_back();
  }

  static int compare(const Magnitude& a, const Magnitude& b) {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    for (std::size_t i = a.size(); i-- > 0;)
      if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
  }

  static Magnitude sum(const Magnitude& a, const Magnitude& b) {
    Magnitude result;
    unsigned carry = 0;
    for (std::size_t i = 0; i < a.size() || i < b.size() || carry != 0; ++i) {
      carry += (i < a.size() ? a[i] : 0u) + (i < b.size() ? b[i] : 0u);
      result.push_back(static_cast<std::uint8_t>(carry % 256));
      carry /= 256;
    }
    return result;
  }

  /// Returns a - b, where b is not larger.
  static Magnitude difference(Magnitude a, const Magnitude& b) {
    bool borrow = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const int digit = a[i] - (i < b.size() ? b[i] : 0) - (borrow ? 1 : 0);
      borrow = digit < 0;
      a[i] = static_cast<std::uint8_t>(borrow ? digit + 256 : digit);
    }
    trim(a);
    return a;
  }

  Magnitude magnitude_;
  bool negative_ = false;
};

/// True if `value` is the number of type T nearest to `exact` units. Of two, the even one is the nearest.
template <class T>
bool nearest(const ExactInteger& exact, T value) {
  const auto distance = [&](T number) {
    ExactInteger result = exact;
    result += -ExactInteger::units(number);
    return result;
  };
  if (std::isnan(value)) return false;
  if (exact.zero()) return value == 0 && !std::signbit(value);
  const ExactInteger error = distance(value);
  if (error.zero()) return true;
  const T infinity = std::numeric_limits<T>::infinity();
  const T beyond = std::nextafter(value, error.negative() ? -infinity : infinity);
  if (beyond == value) return true;  // an infinity
  const int comparison = error.compare_magnitude(distance(beyond));
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  const bool even = std::bit_cast<Bits>(value) % 2 == 0;
  return comparison < 0 || (comparison == 0 && even);
}

}  // namespace tessera::test
