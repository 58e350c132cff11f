// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/expressions/detail/code.hpp"
#include "tessera/pipeline/body/functions.hpp"

namespace tessera::expressions::detail {

// The operations of expressions on single numbers. Constants, rows on hosts, and points on devices are all
// computed by these functions, so that the results agree.

/// The operation O of one to five numbers.
template <Code O>
struct Arithmetic {
  /// Returns the result. Arguments that the operation does not have are ignored.
  KOKKOS_FORCEINLINE_FUNCTION static float compute(float a, [[maybe_unused]] float b = 0,
                                                   [[maybe_unused]] float c = 0, [[maybe_unused]] float d = 0,
                                                   [[maybe_unused]] float e = 0) {
    if constexpr (O == Code::negate) return -a;
    if constexpr (O == Code::absolute) return a < 0 ? -a : a == 0 ? 0.0F : a;
    if constexpr (O == Code::square_root) return compat::sqrt(a);
    if constexpr (O == Code::exponential) return compat::exp(a);
    if constexpr (O == Code::logarithm) return compat::log(a);
    if constexpr (O == Code::floor) return compat::floor(a);
    if constexpr (O == Code::ceil) return compat::ceil(a);
    if constexpr (O == Code::round) return compat::round(a);
    if constexpr (O == Code::add) return a + b;
    if constexpr (O == Code::subtract) return a - b;
    if constexpr (O == Code::multiply) return a * b;
    if constexpr (O == Code::divide) return a / b;
    if constexpr (O == Code::power) return compat::pow(a, b);
    if constexpr (O == Code::minimum) return tessera::min(a, b);
    if constexpr (O == Code::maximum) return tessera::max(a, b);
    if constexpr (O == Code::less) return a < b ? 1.0F : 0.0F;
    if constexpr (O == Code::less_or_equal) return a <= b ? 1.0F : 0.0F;
    if constexpr (O == Code::equal) return a == b ? 1.0F : 0.0F;
    if constexpr (O == Code::not_equal) return a != b ? 1.0F : 0.0F;
    if constexpr (O == Code::select) return a != 0 ? b : c;
    if constexpr (O == Code::clamp) return tessera::min(tessera::max(a, b), c);
    if constexpr (O == Code::multiply_add) return a * b + c;
    if constexpr (O == Code::multiply_subtract) return a * b - c;
    if constexpr (O == Code::subtract_product) return c - a * b;
    if constexpr (O == Code::clamped_sum) return tessera::min(tessera::max(a * b + c, d), e);
    if constexpr (O == Code::clamped_difference) return tessera::min(tessera::max(a * b - c, d), e);
    if constexpr (O == Code::clamped_rest) return tessera::min(tessera::max(c - a * b, d), e);
    if constexpr (O == Code::select_less) return a < b ? c : d;
    if constexpr (O == Code::select_less_or_equal) return a <= b ? c : d;
    if constexpr (O == Code::absolute_difference) return Arithmetic<Code::absolute>::compute(a - b);
    if constexpr (O == Code::root_of_sum) return compat::sqrt(a * b + c);
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
