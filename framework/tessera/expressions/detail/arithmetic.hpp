// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/expressions/expression.hpp"
#include "tessera/pipeline/body/functions.hpp"

namespace tessera::expressions::detail {

// The operations of expressions on single numbers. Constants, rows on hosts, and points on devices are all
// computed by these functions, so that the results agree.

/// The operation O of one to five numbers.
template <Operation O>
struct Arithmetic {
  /// Returns the result. Arguments that the operation does not have are ignored.
  KOKKOS_FORCEINLINE_FUNCTION static float compute(float a, [[maybe_unused]] float b = 0,
                                                   [[maybe_unused]] float c = 0, [[maybe_unused]] float d = 0,
                                                   [[maybe_unused]] float e = 0) {
    if constexpr (O == Operation::negate) return -a;
    if constexpr (O == Operation::absolute) return a < 0 ? -a : a == 0 ? 0.0F : a;
    if constexpr (O == Operation::square_root) return compat::sqrt(a);
    if constexpr (O == Operation::exponential) return compat::exp(a);
    if constexpr (O == Operation::logarithm) return compat::log(a);
    if constexpr (O == Operation::floor) return compat::floor(a);
    if constexpr (O == Operation::ceil) return compat::ceil(a);
    if constexpr (O == Operation::round) return compat::round(a);
    if constexpr (O == Operation::add) return a + b;
    if constexpr (O == Operation::subtract) return a - b;
    if constexpr (O == Operation::multiply) return a * b;
    if constexpr (O == Operation::divide) return a / b;
    if constexpr (O == Operation::power) return compat::pow(a, b);
    if constexpr (O == Operation::minimum) return tessera::min(a, b);
    if constexpr (O == Operation::maximum) return tessera::max(a, b);
    if constexpr (O == Operation::less) return a < b ? 1.0F : 0.0F;
    if constexpr (O == Operation::less_or_equal) return a <= b ? 1.0F : 0.0F;
    if constexpr (O == Operation::equal) return a == b ? 1.0F : 0.0F;
    if constexpr (O == Operation::not_equal) return a != b ? 1.0F : 0.0F;
    if constexpr (O == Operation::select) return a != 0 ? b : c;
    if constexpr (O == Operation::clamp) return tessera::min(tessera::max(a, b), c);
    if constexpr (O == Operation::multiply_add) return a * b + c;
    if constexpr (O == Operation::multiply_subtract) return a * b - c;
    if constexpr (O == Operation::subtract_product) return c - a * b;
    if constexpr (O == Operation::clamped_sum) return tessera::min(tessera::max(a * b + c, d), e);
    if constexpr (O == Operation::clamped_difference) return tessera::min(tessera::max(a * b - c, d), e);
    if constexpr (O == Operation::clamped_rest) return tessera::min(tessera::max(c - a * b, d), e);
    if constexpr (O == Operation::select_less) return a < b ? c : d;
    if constexpr (O == Operation::select_less_or_equal) return a <= b ? c : d;
    if constexpr (O == Operation::absolute_difference) return Arithmetic<Operation::absolute>::compute(a - b);
    if constexpr (O == Operation::root_of_sum) return compat::sqrt(a * b + c);
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
