// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>

#include "tessera/expressions/detail/program.hpp"
#include "tessera/pipeline/body/functions.hpp"

namespace tessera::expressions::detail {

// The operations of expressions on single numbers. Constants, rows on hosts, and points on devices are all
// computed by these functions, so that the results agree.

/// Returns true if an operation has only arithmetic, roots, comparisons and choices, as vectors have them.
constexpr bool is_elementwise(Operation operation) {
  const bool is_function = operation >= Operation::exponential && operation <= Operation::round;
  return operation >= Operation::negate && !is_function && operation != Operation::power;
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
template <Operation O, class F>
KOKKOS_FORCEINLINE_FUNCTION void compute_elements(F& to, const F& a, [[maybe_unused]] const F& b,
                                                  [[maybe_unused]] const F& c, [[maybe_unused]] const F& d,
                                                  [[maybe_unused]] const F& e) {
  const F zero = {};
  if constexpr (O == Operation::negate) to = -a;
  if constexpr (O == Operation::absolute) to = a < zero ? -a : a == zero ? zero : a;
  if constexpr (O == Operation::square_root) compute_root<F>(to, a);
  if constexpr (O == Operation::add) to = a + b;
  if constexpr (O == Operation::subtract) to = a - b;
  if constexpr (O == Operation::multiply) to = a * b;
  if constexpr (O == Operation::divide) to = a / b;
  if constexpr (O == Operation::minimum) to = a < b ? a : b;
  if constexpr (O == Operation::maximum) to = a > b ? a : b;
  if constexpr (O == Operation::less) to = a < b ? zero + 1.0F : zero;
  if constexpr (O == Operation::less_or_equal) to = a <= b ? zero + 1.0F : zero;
  if constexpr (O == Operation::equal) to = a == b ? zero + 1.0F : zero;
  if constexpr (O == Operation::not_equal) to = a != b ? zero + 1.0F : zero;
  if constexpr (O == Operation::select) to = a != zero ? b : c;
  if constexpr (O == Operation::multiply_add) to = a * b + c;
  if constexpr (O == Operation::multiply_subtract) to = a * b - c;
  if constexpr (O == Operation::subtract_product) to = c - a * b;
  if constexpr (O == Operation::root_of_sum) compute_root<F>(to, a * b + c);
  if constexpr (O == Operation::select_less) to = a < b ? c : d;
  if constexpr (O == Operation::select_less_or_equal) to = a <= b ? c : d;
  if constexpr (O == Operation::absolute_difference)
    compute_elements<Operation::absolute, F>(to, a - b, b, c, d, e);
  if constexpr (O == Operation::clamp) {
    const F limited = a > b ? a : b;
    to = limited < c ? limited : c;
  }
  if constexpr (O == Operation::clamped_sum) compute_elements<Operation::clamp, F>(to, a * b + c, d, e, d, e);
  if constexpr (O == Operation::clamped_difference)
    compute_elements<Operation::clamp, F>(to, a * b - c, d, e, d, e);
  if constexpr (O == Operation::clamped_rest)
    compute_elements<Operation::clamp, F>(to, c - a * b, d, e, d, e);
}

/// The operation O of one to five numbers.
template <Operation O>
struct Arithmetic {
  static constexpr Operation code = O;

  /// Returns the result. Arguments that the operation does not have are ignored.
  KOKKOS_FORCEINLINE_FUNCTION static float compute(float a, [[maybe_unused]] float b = 0,
                                                   [[maybe_unused]] float c = 0, [[maybe_unused]] float d = 0,
                                                   [[maybe_unused]] float e = 0) {
    if constexpr (is_elementwise(O)) {
      float result = 0;
      compute_elements<O>(result, a, b, c, d, e);
      return result;
    }
    if constexpr (O == Operation::exponential) return compat::exp(a);
    if constexpr (O == Operation::logarithm) return compat::log(a);
    if constexpr (O == Operation::floor) return compat::floor(a);
    if constexpr (O == Operation::ceil) return compat::ceil(a);
    if constexpr (O == Operation::round) return compat::round(a);
    if constexpr (O == Operation::power) return compat::pow(a, b);
    return 0;
  }
};

/// Calls use(Arithmetic<O>()) for the operation O, and does nothing if O has no arguments.
template <class Use>
KOKKOS_FORCEINLINE_FUNCTION void with_arithmetic(Operation operation, const Use& use) {
  switch (operation) {
    case Operation::negate:
      return use(Arithmetic<Operation::negate>());
    case Operation::absolute:
      return use(Arithmetic<Operation::absolute>());
    case Operation::square_root:
      return use(Arithmetic<Operation::square_root>());
    case Operation::exponential:
      return use(Arithmetic<Operation::exponential>());
    case Operation::logarithm:
      return use(Arithmetic<Operation::logarithm>());
    case Operation::floor:
      return use(Arithmetic<Operation::floor>());
    case Operation::ceil:
      return use(Arithmetic<Operation::ceil>());
    case Operation::round:
      return use(Arithmetic<Operation::round>());
    case Operation::add:
      return use(Arithmetic<Operation::add>());
    case Operation::subtract:
      return use(Arithmetic<Operation::subtract>());
    case Operation::multiply:
      return use(Arithmetic<Operation::multiply>());
    case Operation::divide:
      return use(Arithmetic<Operation::divide>());
    case Operation::power:
      return use(Arithmetic<Operation::power>());
    case Operation::minimum:
      return use(Arithmetic<Operation::minimum>());
    case Operation::maximum:
      return use(Arithmetic<Operation::maximum>());
    case Operation::less:
      return use(Arithmetic<Operation::less>());
    case Operation::less_or_equal:
      return use(Arithmetic<Operation::less_or_equal>());
    case Operation::equal:
      return use(Arithmetic<Operation::equal>());
    case Operation::not_equal:
      return use(Arithmetic<Operation::not_equal>());
    case Operation::select:
      return use(Arithmetic<Operation::select>());
    case Operation::clamp:
      return use(Arithmetic<Operation::clamp>());
    case Operation::multiply_add:
      return use(Arithmetic<Operation::multiply_add>());
    case Operation::multiply_subtract:
      return use(Arithmetic<Operation::multiply_subtract>());
    case Operation::subtract_product:
      return use(Arithmetic<Operation::subtract_product>());
    case Operation::clamped_sum:
      return use(Arithmetic<Operation::clamped_sum>());
    case Operation::clamped_difference:
      return use(Arithmetic<Operation::clamped_difference>());
    case Operation::clamped_rest:
      return use(Arithmetic<Operation::clamped_rest>());
    case Operation::select_less:
      return use(Arithmetic<Operation::select_less>());
    case Operation::select_less_or_equal:
      return use(Arithmetic<Operation::select_less_or_equal>());
    case Operation::absolute_difference:
      return use(Arithmetic<Operation::absolute_difference>());
    case Operation::root_of_sum:
      return use(Arithmetic<Operation::root_of_sum>());
    default:
      return;
  }
}

}  // namespace tessera::expressions::detail
