// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tessera/view/instruction_sets.hpp"

// Vectors of neighbouring candidates of block matching. They are passed by reference, because functions that
// return vectors would have to be compiled for processors that have these vectors.

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // all functions are inlined where the vectors exist
#endif

namespace tessera::operators::detail {

/// Vectors of `Bytes` bytes of Number, which is std::int32_t or double.
template <class Number, int Bytes>
struct Lanes {
  typedef Number Vector __attribute__((vector_size(Bytes)));
  /// A vector of numbers of 16 bits, with as many bytes as Vector. The element type depends on Number so that
  /// compilers look at the size only when it is known.
  typedef std::conditional_t<std::is_integral_v<Number>, std::int16_t, Number> Words
      __attribute__((vector_size(Bytes)));
  /// The number of elements.
  static constexpr int count = Bytes / static_cast<int>(sizeof(Number));

  [[gnu::always_inline]] static void load(const Number* from, Vector& to) {
    std::memcpy(&to, from, sizeof to);
  }
  [[gnu::always_inline]] static void store(const Vector& from, Number* to) {
    std::memcpy(to, &from, sizeof from);
  }
  /// Adds the elements in memory.
  [[gnu::always_inline]] static void add(const Number* from, Vector& to) {
    Vector other;
    load(from, other);
    to += other;
  }
  /// Makes each element the lesser of itself and that of `other`.
  [[gnu::always_inline]] static void lower(Vector& to, const Vector& other) { to = to < other ? to : other; }

  /// Makes each element the greater of itself and that of `other`.
  [[gnu::always_inline]] static void raise(Vector& to, const Vector& other) { to = to > other ? to : other; }

  /// Adds the products of `a` with `b`. Integers are pairs of numbers of 16 bits. The product of two pairs is
  /// the sum of the products of the lower and of the upper numbers.
  [[gnu::always_inline]] static void add_products(Vector& sum, const Vector& a, Number b) {
    if constexpr (!std::is_integral_v<Number>) {
      sum += a * b;
    } else {
      const Vector factor = b - Vector{};
#if defined(TESSERA_X86_HOST) && !defined(__clang__)
      // The compiler does not find the instruction for this in the expressions below.
      if constexpr (Bytes == 64)
        sum += __builtin_ia32_pmaddwd512_mask((Words)a, (Words)factor, Vector{}, std::uint16_t(0xffff));
      else if constexpr (Bytes == 32)
        sum += __builtin_ia32_pmaddwd256((Words)a, (Words)factor);
      else
        sum += __builtin_ia32_pmaddwd128((Words)a, (Words)factor);
#else
      sum += (a << 16 >> 16) * (factor << 16 >> 16) + (a >> 16) * (factor >> 16);
#endif
    }
  }

  /// Adds the absolute differences of `a` and `b`, multiplied by `factor`. Integers are pairs of numbers of
  /// 16 bits. The lower and the upper differences have separate factors.
  [[gnu::always_inline]] static void add_differences(Vector& sum, const Vector& a, Number b, Number factor) {
    const Vector other = b - Vector{};
    if constexpr (!std::is_integral_v<Number>) {
      const Vector difference = a - other;
      sum += (difference < 0 ? -difference : difference) * factor;
    } else {
      const Words difference = (Words)a - (Words)other;
      add_products(sum, (Vector)(difference < 0 ? -difference : difference), factor);
    }
  }

  /// Joins the least elements of 2 * Known points. Element i of `a`, and of `b`, is the least of some
  /// elements of the point with the number i % Known. In the result, the Known points of `a` come first, and
  /// then those of `b`.
  template <int Known>
  [[gnu::always_inline]] static void join(const Vector& a, const Vector& b, Vector& result) {
    join<Known>(a, b, result, std::make_integer_sequence<int, count>{});
  }

 private:
  /// Most processors move elements faster within 16 bytes than between these.
  static constexpr int near = 16 / static_cast<int>(sizeof(Number));

  /// Returns the source of the element `i` of a half of the joined elements: an element of a, or of b if the
  /// index is not less than `count`. Blocks of Known elements come from a and from b in turn.
  template <int Known>
  static constexpr int source(int i, bool is_upper_half) {
    const int group = Known < near ? near : count, place = i % group, block = place / Known;
    return (block % 2) * count + i - place + block / 2 * Known + place % Known +
           (is_upper_half ? group / 2 : 0);
  }
  template <int Known, int... I>
  [[gnu::always_inline]] static void join(const Vector& a, const Vector& b, Vector& result,
                                          std::integer_sequence<int, I...>) {
    result = __builtin_shufflevector(a, b, source<Known>(I, false)...);
    const Vector upper = __builtin_shufflevector(a, b, source<Known>(I, true)...);
    lower(result, upper);
  }
};

}  // namespace tessera::operators::detail

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
