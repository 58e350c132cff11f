// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tessera/domain/box.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/exact_sum.hpp"

namespace tessera {

namespace detail {

/// Returns whether a < b. Here -0 is less than +0, so that the least of several zeros does not depend on
/// their order. Returns false if `a` or `b` is NaN.
template <class T>
KOKKOS_FUNCTION bool is_less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    static_assert(sizeof(T) <= 8, "of floating-point types only float and double can be compared here");
    if (a == T(0) && b == T(0)) {
      using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
      return bit_cast<Bits>(a) < 0 && bit_cast<Bits>(b) >= 0;
    }
  }
  return a < b;
}

/// Returns whether point `a` lies before point `b` in memory.
KOKKOS_FUNCTION inline bool is_before(const Point& a, const Point& b) {
  for (int d = max_dimensions - 1; d >= 0; --d)
    if (a[d] != b[d]) return a[d] < b[d];
  return false;
}

/// A reduction that finds the least or greatest element and its point.
template <class T, bool Greatest>
struct Extreme {
  /// An element and its point.
  struct Value {
    /// The least or greatest element so far.
    T value;
    /// The point of that element, in global coordinates.
    Point point;
    /// True when there has been an element other than NaN.
    bool found;
  };

  /// Sets `value` to its state before any element has been added.
  KOKKOS_FUNCTION void init(Value& value) const { value = {}; }
  /// Takes the element at `point` into account. NaN is ignored.
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point& point) const {
    if (element == element) join(value, {element, point, true});
  }
  /// Takes the element of `other` into account. If the elements are equal, the one that comes first in memory
  /// is kept.
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    if (!other.found) return;
    if (!value.found || is_better(other, value)) value = other;
  }
  /// Returns the element and its point.
  Value result(const Value& value) const { return value; }

 private:
  KOKKOS_FUNCTION static bool is_better(const Value& a, const Value& b) {
    const bool less = is_less(a.value, b.value);
    const bool greater = is_less(b.value, a.value);
    if (less || greater) return less != Greatest;
    return is_before(a.point, b.point);
  }
};

}  // namespace detail

/// The sum of all elements. The sum of floats or doubles is exact and is rounded once (see ExactSum). The sum
/// of integers is a std::int64_t if they are signed, and a std::uint64_t otherwise. It wraps around on
/// overflow.
template <class T>
struct Sum {
  static_assert(std::is_integral_v<T>, "sums are of integers, float or double");
  /// The type of the sum of some elements.
  using Value = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  /// Sets `value` to 0, the sum of no elements.
  KOKKOS_FUNCTION void init(Value& value) const { value = 0; }
  /// Adds `element` to `value`.
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point&) const {
    join(value, static_cast<Value>(element));
  }
  /// Adds `count` neighbouring elements to `value`. Elements of fewer than 32 bits are first added to sums of
  /// 32 bits, 32768 elements at a time, which cannot overflow.
  void add_row(Value& value, const T* elements, std::int64_t count) const {
    using Narrow = std::conditional_t<sizeof(T) >= 4, Value,
                                      std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;
    constexpr std::int64_t piece = 1 << 15;
    for (std::int64_t first = 0; first < count; first += piece) {
      const std::int64_t end = first + piece < count ? first + piece : count;
      Narrow sum = 0;
      for (std::int64_t i = first; i < end; ++i)
        sum = static_cast<Narrow>(static_cast<std::make_unsigned_t<Narrow>>(sum) +
                                  static_cast<std::make_unsigned_t<Narrow>>(elements[i]));
      join(value, static_cast<Value>(sum));
    }
  }
  /// Adds the sum `other` to `value`.
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    value = static_cast<Value>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(other));
  }
  /// Returns the sum.
  Value result(const Value& value) const { return value; }
};

/// The sum of floats or doubles, which is exact and is rounded once (see ExactSum).
template <class T>
requires std::is_same_v<T, float> || std::is_same_v<T, double>
struct Sum<T> {
  /// The type of the exact sum of some elements.
  using Value = ExactSum<T>;
  /// Sets `value` to 0, the sum of no elements.
  KOKKOS_FUNCTION void init(Value& value) const { value = {}; }
  /// Adds `element` to `value`.
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point&) const { value.add(element); }
  /// Adds `count` neighbouring elements to `value`. This is faster than adding them one by one.
  void add_row(Value& value, const T* elements, std::int64_t count) const { value.add(elements, count); }
  /// Adds the sum `other` to `value`.
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const { value.merge(other); }
  /// Returns the sum, rounded to nearest.
  T result(const Value& value) const { return value.value(); }
};

/// The least element. NaN is ignored, and -0 is less than +0. If all elements are NaN, or if there are none,
/// the result is infinity for floating-point types, and the greatest number of T for integers.
template <class T>
struct Minimum : detail::Extreme<T, false> {
  /// Returns the least element.
  T result(const typename detail::Extreme<T, false>::Value& value) const {
    using Limits = std::numeric_limits<T>;
    return value.found ? value.value : Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
};

/// The greatest element. NaN is ignored, and -0 is less than +0. If all elements are NaN, or if there are
/// none, the result is minus infinity for floating-point types, and the least number of T for integers.
template <class T>
struct Maximum : detail::Extreme<T, true> {
  /// Returns the greatest element.
  T result(const typename detail::Extreme<T, true>::Value& value) const {
    using Limits = std::numeric_limits<T>;
    return value.found ? value.value : Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
};

/// The greatest absolute value of floats or doubles. If an element is infinite or NaN, the result is infinity
/// or NaN. Unlike Maximum, MaximumNorm does not ignore NaN, because a test of convergence must notice NaN.
/// The result for no elements is 0.
template <class T>
requires std::is_same_v<T, float> || std::is_same_v<T, double>
struct MaximumNorm {
  /// The bits of an absolute value, as an unsigned integer. As integers, the bits are in the same order as
  /// the absolute values, and NaN comes after infinity.
  using Value = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  /// Sets `value` to 0, the greatest absolute value of no elements.
  KOKKOS_FUNCTION void init(Value& value) const { value = 0; }
  /// Takes `element` into account.
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point&) const {
    join(value, magnitude(element));
  }
  /// Takes `count` neighbouring elements into account.
  void add_row(Value& value, const T* elements, std::int64_t count) const {
    Value greatest = value;
    for (std::int64_t i = 0; i < count; ++i) {
      const Value next = magnitude(elements[i]);
      greatest = next > greatest ? next : greatest;
    }
    value = greatest;
  }
  /// Sets `value` to the greater of `value` and `other`.
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const { value = other > value ? other : value; }
  /// Returns the greatest absolute value.
  T result(const Value& value) const { return bit_cast<T>(value); }

 private:
  KOKKOS_FUNCTION static Value magnitude(const T& element) {
    return bit_cast<Value>(element) & (~Value(0) >> 1);
  }
};

/// The least element and its point. The result has the members `value`, `point` and `found`. `found` is false
/// if all elements are NaN, or if there are none. If several elements are equal, the result is the one that
/// comes first in memory.
template <class T>
struct MinimumLocation : detail::Extreme<T, false> {};

/// The greatest element and its point, as for MinimumLocation.
template <class T>
struct MaximumLocation : detail::Extreme<T, true> {};

/// The histogram of integers: for each of the values 0 to Bins - 1, the number of elements that have this
/// value. The result is a std::array<std::uint64_t, Bins>. Elements with other values are not counted.
template <class T, std::size_t Bins>
struct Histogram {
  static_assert(std::is_integral_v<T>, "count integers: a stage before can make bins of other values");
  /// The counts of all bins. Each bin is one of the values 0 to Bins - 1.
  struct Value {
    /// For each value, the number of elements that have it.
    std::uint64_t counts[Bins];
  };
  /// Sets all counts to 0.
  KOKKOS_FUNCTION void init(Value& value) const {
    for (std::uint64_t& count : value.counts) count = 0;
  }
  /// Counts `element`.
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point&) const {
    // A negative element becomes a number that is beyond all bins, so that it is not counted.
    const auto bin = static_cast<std::uint64_t>(element);
    if (bin < Bins) ++value.counts[bin];
  }
  /// Adds the counts of `other`.
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    for (std::size_t bin = 0; bin < Bins; ++bin) value.counts[bin] += other.counts[bin];
  }
  /// The counts of a team of threads of a device. Its threads count elements together, by atomic operations.
  struct TeamValue {
    /// For each value, the number of elements that have it, of fewer than 2^32 elements.
    std::uint32_t counts[Bins];
  };
  /// Thread number `thread` of `threads` threads sets its share of the counts to 0.
  KOKKOS_FUNCTION void begin_team(TeamValue& value, int thread, int threads) const {
    for (int bin = thread; bin < static_cast<int>(Bins); bin += threads) value.counts[bin] = 0;
  }
  /// Counts `element`. Other threads may count at the same time.
  KOKKOS_FUNCTION void add_in_team(TeamValue& value, const T& element) const {
    const auto bin = static_cast<std::uint64_t>(element);
    if (bin < Bins) Kokkos::atomic_fetch_add(&value.counts[bin], std::uint32_t{1});
  }
  /// Thread number `thread` of `threads` threads copies its share of the counts to `value`.
  KOKKOS_FUNCTION void end_team(Value& value, const TeamValue& team, int thread, int threads) const {
    for (int bin = thread; bin < static_cast<int>(Bins); bin += threads) value.counts[bin] = team.counts[bin];
  }
  /// Returns the counts of all bins.
  std::array<std::uint64_t, Bins> result(const Value& value) const {
    std::array<std::uint64_t, Bins> counts;
    for (std::size_t bin = 0; bin < Bins; ++bin) counts[bin] = value.counts[bin];
    return counts;
  }
};

/// The number of elements, whatever they are. With Pipeline::reduce_by_key it is the histogram of the keys.
template <class T>
struct Count {
  /// The number of some elements.
  using Value = std::uint64_t;
  /// Sets `value` to 0.
  KOKKOS_FUNCTION void init(Value& value) const { value = 0; }
  /// Counts one element.
  KOKKOS_FUNCTION void add(Value& value, const T&, const Point&) const { ++value; }
  /// Counts `count` neighbouring elements.
  void add_row(Value& value, const T*, std::int64_t count) const { value += static_cast<Value>(count); }
  /// Adds the number `other` to `value`.
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const { value += other; }
  /// Returns the number of elements.
  Value result(const Value& value) const { return value; }
};

/// The mean of all elements as a double: their sum divided by their number. The sum of floats or doubles is
/// exact and is rounded once to their type (see ExactSum). The mean of no elements is 0.
template <class T>
struct Mean {
  /// The sum of some elements and their number.
  struct Value {
    /// The sum of the elements.
    typename Sum<T>::Value sum;
    /// The number of elements.
    std::uint64_t count;
  };
  /// Sets `value` to its state before any element has been added.
  KOKKOS_FUNCTION void init(Value& value) const {
    Sum<T>().init(value.sum);
    value.count = 0;
  }
  /// Adds `element` to `value`.
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point& point) const {
    Sum<T>().add(value.sum, element, point);
    ++value.count;
  }
  /// Adds `count` neighbouring elements to `value`.
  void add_row(Value& value, const T* elements, std::int64_t count) const
  requires std::is_floating_point_v<T>
  {
    Sum<T>().add_row(value.sum, elements, count);
    value.count += static_cast<std::uint64_t>(count);
  }
  /// Adds the sum and the number of elements of `other`.
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    Sum<T>().join(value.sum, other.sum);
    value.count += other.count;
  }
  /// Returns the mean.
  double result(const Value& value) const {
    if (value.count == 0) return 0;
    return static_cast<double>(Sum<T>().result(value.sum)) / static_cast<double>(value.count);
  }
};

}  // namespace tessera
