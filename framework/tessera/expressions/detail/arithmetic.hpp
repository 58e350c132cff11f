// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>

#include "tessera/expressions/detail/program.hpp"
#include "tessera/pipeline/body/functions.hpp"

namespace tessera::expressions::detail {

// The operations of expressions on single numbers. Constants, rows on hosts, and points on devices are all
// computed by these functions, so that the results agree.

/// Whether an operation consists of arithmetic, roots, comparisons and choices only, which vectors have as
/// well.
constexpr bool is_elementwise(Code operation) {
  switch (operation) {
    case Code::exponential:
    case Code::logarithm:
    case Code::floor:
    case Code::ceil:
    case Code::round:
    case Code::power:
      return false;
    default:
      return operation >= Code::negate;
  }
}

/// Computes the square root of a number, or of those of a vector.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void compute_root(F& to, const F& a) {
  if constexpr (std::is_same_v<F, float>) {
    to = compat::sqrt(a);
  } else {
    // The results of other operations stay in registers of the processor, unless their elements are taken.
    const F numbers = a;
    F roots = {};
    for (std::size_t i = 0; i < sizeof(F) / sizeof(float); ++i) roots[i] = compat::sqrt(numbers[i]);
    to = roots;
  }
}

/// Computes the operation O, which is_elementwise, of numbers, or of vectors of numbers. Arguments that the
/// operation does not have are ignored.
template <Code O, class F>
KOKKOS_FORCEINLINE_FUNCTION void compute_elements(F& to, const F& a, [[maybe_unused]] const F& b,
                                                  [[maybe_unused]] const F& c, [[maybe_unused]] const F& d,
                                                  [[maybe_unused]] const F& e) {
  const F zero = {};
  if constexpr (O == Code::negate) to = -a;
  if constexpr (O == Code::absolute) to = a < zero ? -a : a == zero ? zero : a;
  if constexpr (O == Code::square_root) compute_root<F>(to, a);
  if constexpr (O == Code::add) to = a + b;
  if constexpr (O == Code::subtract) to = a - b;
  if constexpr (O == Code::multiply) to = a * b;
  if constexpr (O == Code::divide) to = a / b;
  if constexpr (O == Code::minimum) to = a < b ? a : b;
  if constexpr (O == Code::maximum) to = a > b ? a : b;
  if constexpr (O == Code::less) to = a < b ? zero + 1.0F : zero;
  if constexpr (O == Code::less_or_equal) to = a <= b ? zero + 1.0F : zero;
  if constexpr (O == Code::equal) to = a == b ? zero + 1.0F : zero;
  if constexpr (O == Code::not_equal) to = a != b ? zero + 1.0F : zero;
  if constexpr (O == Code::select) to = a != zero ? b : c;
  if constexpr (O == Code::multiply_add) to = a * b + c;
  if constexpr (O == Code::multiply_subtract) to = a * b - c;
  if constexpr (O == Code::subtract_product) to = c - a * b;
  if constexpr (O == Code::root_of_sum) compute_root<F>(to, a * b + c);
  if constexpr (O == Code::select_less) to = a < b ? c : d;
  if constexpr (O == Code::select_less_or_equal) to = a <= b ? c : d;
  if constexpr (O == Code::absolute_difference) compute_elements<Code::absolute, F>(to, a - b, b, c, d, e);
  if constexpr (O == Code::clamp) {
    const F limited = a > b ? a : b;
    to = limited < c ? limited : c;
  }
  if constexpr (O == Code::clamped_sum) compute_elements<Code::clamp, F>(to, a * b + c, d, e, d, e);
  if constexpr (O == Code::clamped_difference) compute_elements<Code::clamp, F>(to, a * b - c, d, e, d, e);
  if constexpr (O == Code::clamped_rest) compute_elements<Code::clamp, F>(to, c - a * b, d, e, d, e);
}

/// The operation O of one to five numbers.
template <Code O>
struct Arithmetic {
  static constexpr Code code = O;

  /// Returns the result. Arguments that the operation does not have are ignored.
  KOKKOS_FORCEINLINE_FUNCTION static float compute(float a, [[maybe_unused]] float b = 0,
                                                   [[maybe_unused]] float c = 0, [[maybe_unused]] float d = 0,
                                                   [[maybe_unused]] float e = 0) {
    if constexpr (is_elementwise(O)) {
      float result = 0;
      compute_elements<O>(result, a, b, c, d, e);
      return result;
    }
    if constexpr (O == Code::exponential) return compat::exp(a);
    if constexpr (O == Code::logarithm) return compat::log(a);
    if constexpr (O == Code::floor) return compat::floor(a);
    if constexpr (O == Code::ceil) return compat::ceil(a);
    if constexpr (O == Code::round) return compat::round(a);
    if constexpr (O == Code::power) return compat::pow(a, b);
    return 0;
  }
};

/// Calls use(Arithmetic<O>()) for the operation O, and does nothing if O has no arguments.
template <class Use>
KOKKOS_FORCEINLINE_FUNCTION void with_arithmetic(Code operation, const Use& use) {
  switch (operation) {
    case Code::negate:
      return use(Arithmetic<Code::negate>());
    case Code::absolute:
      return use(Arithmetic<Code::absolute>());
    case Code::square_root:
      return use(Arithmetic<Code::square_root>());
    case Code::exponential:
      return use(Arithmetic<Code::exponential>());
    case Code::logarithm:
      return use(Arithmetic<Code::logarithm>());
    case Code::floor:
      return use(Arithmetic<Code::floor>());
    case Code::ceil:
      return use(Arithmetic<Code::ceil>());
    case Code::round:
      return use(Arithmetic<Code::round>());
    case Code::add:
      return use(Arithmetic<Code::add>());
    case Code::subtract:
      return use(Arithmetic<Code::subtract>());
    case Code::multiply:
      return use(Arithmetic<Code::multiply>());
    case Code::divide:
      return use(Arithmetic<Code::divide>());
    case Code::power:
      return use(Arithmetic<Code::power>());
    case Code::minimum:
      return use(Arithmetic<Code::minimum>());
    case Code::maximum:
      return use(Arithmetic<Code::maximum>());
    case Code::less:
      return use(Arithmetic<Code::less>());
    case Code::less_or_equal:
      return use(Arithmetic<Code::less_or_equal>());
    case Code::equal:
      return use(Arithmetic<Code::equal>());
    case Code::not_equal:
      return use(Arithmetic<Code::not_equal>());
    case Code::select:
      return use(Arithmetic<Code::select>());
    case Code::clamp:
      return use(Arithmetic<Code::clamp>());
    case Code::multiply_add:
      return use(Arithmetic<Code::multiply_add>());
    case Code::multiply_subtract:
      return use(Arithmetic<Code::multiply_subtract>());
    case Code::subtract_product:
      return use(Arithmetic<Code::subtract_product>());
    case Code::clamped_sum:
      return use(Arithmetic<Code::clamped_sum>());
    case Code::clamped_difference:
      return use(Arithmetic<Code::clamped_difference>());
    case Code::clamped_rest:
      return use(Arithmetic<Code::clamped_rest>());
    case Code::select_less:
      return use(Arithmetic<Code::select_less>());
    case Code::select_less_or_equal:
      return use(Arithmetic<Code::select_less_or_equal>());
    case Code::absolute_difference:
      return use(Arithmetic<Code::absolute_difference>());
    case Code::root_of_sum:
      return use(Arithmetic<Code::root_of_sum>());
    default:
      return;
  }
}

}  // namespace tessera::expressions::detail
