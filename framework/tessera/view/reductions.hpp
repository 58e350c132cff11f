// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tessera/domain/box.hpp"
#include "tessera/view/exact_sum.hpp"

namespace tessera {

namespace detail {

/// a < b, and -0 < +0, so that which of two zeros is found does not depend on the order. False for NaN.
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

/// The order in which points lie in memory.
KOKKOS_FUNCTION inline bool is_before(const Point& a, const Point& b) {
  for (int d = max_dimensions - 1; d >= 0; --d)
    if (a[d] != b[d]) return a[d] < b[d];
  return false;
}

/// The least or greatest element so far, if any.
template <class T, bool Greatest>
struct Extreme {
  struct Value {
    T value;
    Point point;
    bool found;
  };

  KOKKOS_FUNCTION void init(Value& value) const { value = {}; }
  /// NaN is dropped.
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point& point) const {
    if (element == element) join(value, {element, point, true});
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    if (!other.found) return;
    if (!value.found || is_better(other, value)) value = other;
  }

 private:
  KOKKOS_FUNCTION static bool is_better(const Value& a, const Value& b) {
    const bool less = is_less(a.value, b.value);
    const bool greater = is_less(b.value, a.value);
    if (less || greater) return less != Greatest;
    return is_before(a.point, b.point);
  }
};

}  // namespace detail

/// The sum. Of floats it is exact and rounded once (ExactSum); of integers it is an std::int64_t or
/// std::uint64_t that wraps around.
template <class T>
struct Sum {
  static_assert(std::is_integral_v<T>, "sums are of integers, float or double");
  using Value = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  KOKKOS_FUNCTION void init(Value& value) const { value = 0; }
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point&) const {
    join(value, static_cast<Value>(element));
  }
  /// Of small elements many at a time, in narrow sums that cannot overflow.
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
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    value = static_cast<Value>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(other));
  }
  Value result(const Value& value) const { return value; }
};

template <class T>
requires std::is_same_v<T, float> || std::is_same_v<T, double>
struct Sum<T> {
  using Value = ExactSum<T>;
  KOKKOS_FUNCTION void init(Value& value) const { value = {}; }
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point&) const { value.add(element); }
  void add_row(Value& value, const T* elements, std::int64_t count) const { value.add(elements, count); }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const { value.merge(other); }
  T result(const Value& value) const { return value.value(); }
};

/// The least element. NaN is dropped, and -0 is less than +0. Of no elements, or NaN alone: the greatest
/// number of the type (infinity of floats).
template <class T>
struct Minimum : detail::Extreme<T, false> {
  T result(const typename detail::Extreme<T, false>::Value& value) const {
    using Limits = std::numeric_limits<T>;
    return value.found ? value.value : Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
};

/// The greatest element; see Minimum.
template <class T>
struct Maximum : detail::Extreme<T, true> {
  T result(const typename detail::Extreme<T, true>::Value& value) const {
    using Limits = std::numeric_limits<T>;
    return value.found ? value.value : Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
};

/// The greatest absolute value. Of elements that are not finite it is infinity or NaN, where Maximum drops
/// NaN: what tells whether a loop converges must not. Of no elements: 0.
template <class T>
requires std::is_same_v<T, float> || std::is_same_v<T, double>
struct MaximumNorm {
  /// Bits without the sign: they are in the order of the numbers, and NaN comes after infinity.
  using Value = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  KOKKOS_FUNCTION void init(Value& value) const { value = 0; }
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point&) const {
    join(value, magnitude(element));
  }
  void add_row(Value& value, const T* elements, std::int64_t count) const {
    Value greatest = value;
    for (std::int64_t i = 0; i < count; ++i) {
      const Value next = magnitude(elements[i]);
      greatest = next > greatest ? next : greatest;
    }
    value = greatest;
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const { value = other > value ? other : value; }
  T result(const Value& value) const { return bit_cast<T>(value); }

 private:
  KOKKOS_FUNCTION static Value magnitude(const T& element) {
    return bit_cast<Value>(element) & (~Value(0) >> 1);
  }
};

/// The least element and where it is: `value`, `point`, and `found`, which is false when there are no
/// elements but NaN. Of equal ones the first in memory order.
template <class T>
struct MinimumLocation : detail::Extreme<T, false> {
  using Value = typename detail::Extreme<T, false>::Value;
  Value result(const Value& value) const { return value; }
};

/// The greatest element and where it is; see MinimumLocation.
template <class T>
struct MaximumLocation : detail::Extreme<T, true> {
  using Value = typename detail::Extreme<T, true>::Value;
  Value result(const Value& value) const { return value; }
};

/// How many elements have each of the values 0 to Bins - 1, as std::array<std::uint64_t, Bins>; others are
/// left out.
template <class T, std::size_t Bins>
struct Histogram {
  static_assert(std::is_integral_v<T>, "count integers: a stage before can make bins of other values");
  struct Value {
    std::uint64_t counts[Bins];
  };
  KOKKOS_FUNCTION void init(Value& value) const {
    for (std::uint64_t& count : value.counts) count = 0;
  }
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point&) const {
    // Below zero is beyond all bins, too.
    const auto bin = static_cast<std::uint64_t>(element);
    if (bin < Bins) ++value.counts[bin];
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    for (std::size_t bin = 0; bin < Bins; ++bin) value.counts[bin] += other.counts[bin];
  }
  std::array<std::uint64_t, Bins> result(const Value& value) const {
    std::array<std::uint64_t, Bins> counts;
    for (std::size_t bin = 0; bin < Bins; ++bin) counts[bin] = value.counts[bin];
    return counts;
  }
};

/// The mean, a double: of floats the exact sum, rounded once to their type, over the number of elements. Of
/// no elements: 0.
template <class T>
struct Mean {
  struct Value {
    typename Sum<T>::Value sum;
    std::uint64_t count;
  };
  KOKKOS_FUNCTION void init(Value& value) const {
    Sum<T>().init(value.sum);
    value.count = 0;
  }
  KOKKOS_FUNCTION void add(Value& value, const T& element, const Point& point) const {
    Sum<T>().add(value.sum, element, point);
    ++value.count;
  }
  void add_row(Value& value, const T* elements,
               std::int64_t count) const requires std::is_floating_point_v<T> {
    Sum<T>().add_row(value.sum, elements, count);
    value.count += static_cast<std::uint64_t>(count);
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    Sum<T>().join(value.sum, other.sum);
    value.count += other.count;
  }
  double result(const Value& value) const {
    if (value.count == 0) return 0;
    return static_cast<double>(Sum<T>().result(value.sum)) / static_cast<double>(value.count);
  }
};

}  // namespace tessera
