// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tessera/view/compat.hpp"

namespace tessera {

/// The exact sum of numbers of type T, which is float or double. The sum has the same bits for every order of
/// the numbers, and for every way to divide them among threads, blocks and ranks. An ExactSum is plain data,
/// which can be used in kernels and sent in messages.
///
/// The sum is held in a superaccumulator. This is a fixed-point number that reaches from the smallest
/// subnormal number to beyond the largest finite number, with room for 2^62 additions. Each of its digits has
/// 32 bits, but is stored in 64 bits, so that carries need not be propagated before 2^29 additions. The
/// method is that of Neal, "Fast exact summation using small and large superaccumulators" (arXiv:1505.05571,
/// 2015).
template <class T>
class ExactSum {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);

 public:
  /// The type of the numbers that are added, and of the rounded sum.
  using value_type = T;

  /// The exponent of the smallest positive T: every finite T is a multiple of 2^lowest_exponent.
  static constexpr int lowest_exponent = std::is_same_v<T, float> ? -149 : -1074;

  /// Makes the empty sum, which is 0.
  ExactSum() = default;

  /// Adds one number. Infinities and NaN are recorded separately from the sum of the finite numbers.
  KOKKOS_FUNCTION void add(T number) {
    const auto bits = bit_cast<Bits>(number);
    const bool negative = bits >> (8 * sizeof(T) - 1) != 0;
    const int exponent = static_cast<int>((bits & infinity_bits) >> stored_bits);
    const std::uint64_t fraction = bits & ((Bits(1) << stored_bits) - 1);
    if (exponent == exponent_mask)
      flags_ |= fraction != 0 ? not_a_number : negative ? minus_infinity : plus_infinity;
    else if (exponent == 0)
      add_digits(fraction, 0, negative);
    else
      add_digits(fraction | std::uint64_t(1) << stored_bits, exponent - 1, negative);
  }

  /// Adds `count` numbers that lie one after the other in memory. This function can be called on the host
  /// only. It is much faster than adding the numbers one by one, and fastest when their magnitudes differ
  /// little.
  ///
  /// The method is error-free extraction, which splits numbers into parts that can be added without rounding.
  /// See Demmel and Nguyen, "Fast reproducible floating-point summation" (ARITH 2013), and Rump, Ogita and
  /// Oishi, "Accurate floating-point summation" (2008).
  void add(const T* numbers, std::int64_t count);

  /// Adds factor * 2^exponent. The exponent must be at least lowest_exponent and at most
  /// std::numeric_limits<T>::max_exponent - 50.
  KOKKOS_FUNCTION void add_scaled(std::int64_t factor, int exponent) {
    const bool negative = factor < 0;
    const std::uint64_t magnitude = static_cast<std::uint64_t>(factor);
    add_digits(negative ? 0 - magnitude : magnitude, exponent - lowest_exponent, negative);
  }

  /// Adds the sum `other` to this sum.
  KOKKOS_FUNCTION void merge(const ExactSum& other) {
    for (int i = 0; i < limb_count; ++i) limbs_[i] += other.limbs_[i];
    flags_ |= other.flags_;
    count_additions(other.pending_ + 1);
  }

  /// Propagates all carries, which does not change the value of the sum. Two normalised sums with the same
  /// value have the same bytes.
  KOKKOS_FUNCTION void normalise() {
    for (int i = 0; i + 1 < limb_count; ++i) {
      limbs_[i + 1] +=
          limbs_[i] >> digit_bits;  // rounds down: digits are not negative, only the last limb is
      limbs_[i] &= digit_mask;
    }
    pending_ = 0;
  }

  /// Returns the sum, rounded once to the nearest T, with ties to even. A sum of zero is +0. If the sum is
  /// beyond the range of T, or if infinities of only one sign were added, the result is an infinity. If
  /// infinities of both signs or a NaN were added, the result is NaN.
  KOKKOS_FUNCTION T value() const {
    if (flags_ == plus_infinity) return from_bits(infinity_bits);
    if (flags_ == minus_infinity) return from_bits(sign_bit | infinity_bits);
    if (flags_ != 0) return from_bits(infinity_bits | Bits(1) << (stored_bits - 1));
    ExactSum magnitude = *this;
    magnitude.normalise();
    const bool negative = magnitude.limbs_[limb_count - 1] < 0;
    if (negative) magnitude.negate();
    const std::uint64_t bits = magnitude.rounded_bits();
    const Bits finite = static_cast<Bits>(bits < infinity_bits ? bits : infinity_bits);
    return from_bits(negative ? sign_bit | finite : finite);
  }

  /// Returns true when both sums have the same exact value and contain the same kinds of infinities and NaN.
  KOKKOS_FUNCTION bool operator==(const ExactSum& other) const {
    ExactSum a = *this;
    ExactSum b = other;
    a.normalise();
    b.normalise();
    bool equal = a.flags_ == b.flags_;
    for (int i = 0; i < limb_count; ++i) equal = equal && a.limbs_[i] == b.limbs_[i];
    return equal;
  }

 private:
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  enum Flag : std::uint32_t { not_a_number = 1, plus_infinity = 2, minus_infinity = 4 };

  static constexpr int precision = std::numeric_limits<T>::digits;
  static constexpr int stored_bits = precision - 1;
  static constexpr int exponent_mask = std::numeric_limits<T>::max_exponent * 2 - 1;
  static constexpr Bits infinity_bits = static_cast<Bits>(exponent_mask) << stored_bits;
  static constexpr Bits sign_bit = Bits(1) << (8 * sizeof(T) - 1);

  static constexpr int digit_bits = 32;
  static constexpr std::int64_t digit_mask = 0xffffffff;
  static constexpr int headroom_bits = 62;
  /// The number of limbs. A limb is an integer that stores digits of the sum. The last limb stores 63 bits
  /// and a sign. Each of the other limbs stores one digit of 32 bits.
  static constexpr int limb_count =
      (std::numeric_limits<T>::max_exponent - lowest_exponent + headroom_bits - 31 + digit_bits - 1) /
      digit_bits;
  /// The sum is normalised after this many additions. A limb is less than (additions + 1) * 2^32, so that two
  /// sums with fewer additions can be merged without overflow.
  static constexpr std::uint32_t most_pending = std::uint32_t(1) << 29;

  KOKKOS_FUNCTION static T from_bits(Bits bits) { return bit_cast<T>(bits); }

  KOKKOS_FUNCTION void count_additions(std::uint32_t additions) {
    pending_ += additions;
    if (pending_ >= most_pending) normalise();
  }

  /// Adds magnitude * 2^(lowest_exponent + shift), or subtracts it when `negative` is true.
  KOKKOS_FUNCTION void add_digits(std::uint64_t magnitude, int shift, bool negative) {
    const int first = shift / digit_bits;
    const int rest = shift % digit_bits;
    const std::uint64_t low = magnitude << rest;
    const std::int64_t digits[] = {static_cast<std::int64_t>(low & digit_mask),
                                   static_cast<std::int64_t>(low >> digit_bits),
                                   static_cast<std::int64_t>(magnitude >> 1 >> (63 - rest))};
    const std::int64_t sign = negative ? -1 : 0;
    for (int i = 0; i < 3; ++i) limbs_[first + i] += (digits[i] ^ sign) - sign;
    count_additions(1);
  }

  KOKKOS_FUNCTION void negate() {
    for (int i = 0; i < limb_count; ++i) limbs_[i] = -limbs_[i];
    normalise();
  }

  /// Returns digit `i` of a normalised sum, which must not be negative. The last limb holds two digits.
  KOKKOS_FUNCTION std::uint64_t digit(int i) const {
    if (i >= limb_count) return static_cast<std::uint64_t>(limbs_[limb_count - 1]) >> digit_bits;
    return static_cast<std::uint64_t>(limbs_[i] & digit_mask);
  }

  /// Returns the 64 bits of a normalised sum that begin at bit number `bit`. The sum must not be negative.
  KOKKOS_FUNCTION std::uint64_t bits_from(int bit) const {
    const int first = bit / digit_bits;
    const int rest = bit % digit_bits;
    std::uint64_t bits = digit(first);
    if (first < limb_count) bits |= digit(first + 1) << digit_bits;
    bits >>= rest;
    if (first + 1 < limb_count) bits |= digit(first + 2) << 1 << (63 - rest);
    return bits;
  }

  /// Returns whether a normalised sum has a bit set below bit number `bit`. The sum must not be negative.
  KOKKOS_FUNCTION bool any_below(int bit) const {
    const std::uint64_t rest = (std::uint64_t(1) << bit % digit_bits) - 1;
    std::uint64_t any = digit(bit / digit_bits) & rest;
    for (int i = 0; i < bit / digit_bits; ++i) any |= digit(i);
    return any != 0;
  }

  /// Returns the number of bits of a normalised sum, without leading zeros. The sum must not be negative.
  KOKKOS_FUNCTION int bit_length() const {
    int top = limb_count;
    while (top > 0 && digit(top) == 0) --top;
    int length = top * digit_bits;
    for (std::uint64_t rest = digit(top); rest != 0; rest >>= 1) ++length;
    return length;
  }

  /// Returns the bits of the T that is nearest to a normalised sum, which must not be negative. If this T
  /// would be beyond the largest finite number, the result is at least the bits of infinity.
  KOKKOS_FUNCTION std::uint64_t rounded_bits() const {
    const int dropped = bit_length() - precision;
    if (dropped <= 0) return bits_from(0);
    const std::uint64_t kept = bits_from(dropped) & ((std::uint64_t(1) << precision) - 1);
    const bool half = (bits_from(dropped - 1) & 1) != 0;
    const bool up = half && ((kept & 1) != 0 || any_below(dropped - 1));
    // The leading bit of `kept` adds 1 to the exponent, and so does a carry out of `kept`.
    return (static_cast<std::uint64_t>(dropped) << stored_bits) + kept + (up ? 1 : 0);
  }

  std::int64_t limbs_[limb_count] = {};
  std::uint32_t pending_ = 0;  // additions since the carries were propagated
  std::uint32_t flags_ = 0;
};

static_assert(std::is_trivially_copyable_v<ExactSum<float>> &&
              std::is_trivially_copyable_v<ExactSum<double>>);

/// A Kokkos reducer that adds exact sums. The result of Kokkos::parallel_reduce then depends neither on the
/// number of threads nor on the order in which they end. `Space` is the memory space of the result, as in
/// Kokkos::Sum.
template <class T, class Space = Kokkos::HostSpace>
class ExactSumReducer {
 public:
  /// The type of the reducer itself, which Kokkos requires.
  using reducer = ExactSumReducer;
  /// The type of the value that is reduced.
  using value_type = ExactSum<T>;
  /// The view that holds the result.
  using result_view_type = Kokkos::View<value_type, Space>;

  /// Makes a reducer whose result is written to the variable `result`. Kokkos::parallel_reduce waits until
  /// the result has been written.
  KOKKOS_FUNCTION explicit ExactSumReducer(value_type& result) : result_(&result), references_scalar_(true) {}
  /// Makes a reducer whose result is written to the view `result`. Kokkos::parallel_reduce need not wait
  /// until the result has been written.
  KOKKOS_FUNCTION explicit ExactSumReducer(const result_view_type& result)
      : result_(result), references_scalar_(false) {}

  /// Adds `other` to `sum`.
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const { sum.merge(other); }
  /// Adds `other` to `sum`. Kokkos 3 calls this overload, whose parameters are volatile although the sums are
  /// not.
  KOKKOS_FUNCTION void join(volatile value_type& sum, const volatile value_type& other) const
  requires(compat::joins_are_volatile)
  {
    const_cast<value_type&>(sum).merge(const_cast<const value_type&>(other));
  }
  /// Sets `sum` to the empty sum, which is 0.
  KOKKOS_FUNCTION void init(value_type& sum) const { sum = value_type(); }
  /// Returns a reference to the result.
  KOKKOS_FUNCTION value_type& reference() const { return *result_.data(); }
  /// Returns the view that holds the result.
  KOKKOS_FUNCTION result_view_type view() const { return result_; }
  /// Returns true when the result is written to a variable, so that Kokkos::parallel_reduce waits for the
  /// result.
  KOKKOS_FUNCTION bool references_scalar() const { return references_scalar_; }

 private:
  result_view_type result_;
  bool references_scalar_;
};

}  // namespace tessera
