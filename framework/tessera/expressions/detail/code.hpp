// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/expressions/expression.hpp"

namespace tessera::expressions::detail {

/// What a node of a program computes from its arguments: what a node of an expression does, with the same
/// numbers as in Operation, or several operations together, with the same result as one by one.
enum class Code {
  constant,
  variable,
  column,
  row,
  plane,
  width,
  height,
  negate,
  absolute,
  square_root,
  exponential,
  logarithm,
  floor,
  ceil,
  round,
  add,
  subtract,
  multiply,
  divide,
  power,
  minimum,
  maximum,
  less,
  less_or_equal,
  equal,
  not_equal,
  select,
  clamp,
  multiply_add,          ///< a * b + c
  multiply_subtract,     ///< a * b - c
  subtract_product,      ///< c - a * b
  clamped_sum,           ///< a * b + c, limited to [d, e]
  clamped_difference,    ///< a * b - c, limited to [d, e]
  clamped_rest,          ///< c - a * b, limited to [d, e]
  select_less,           ///< c if a < b, else d
  select_less_or_equal,  ///< c if a <= b, else d
  absolute_difference,   ///< |a - b|
  root_of_sum            ///< the square root of a * b + c
};

static_assert(static_cast<int>(Code::clamp) == static_cast<int>(Operation::clamp));

/// Returns the number of arguments of an operation.
constexpr int argument_count(Code operation) {
  switch (operation) {
    case Code::negate:
    case Code::absolute:
    case Code::square_root:
    case Code::exponential:
    case Code::logarithm:
    case Code::floor:
    case Code::ceil:
    case Code::round:
      return 1;
    case Code::select:
    case Code::clamp:
    case Code::multiply_add:
    case Code::multiply_subtract:
    case Code::subtract_product:
    case Code::root_of_sum:
      return 3;
    case Code::select_less:
    case Code::select_less_or_equal:
      return 4;
    case Code::clamped_sum:
    case Code::clamped_difference:
    case Code::clamped_rest:
      return 5;
    default:
      return operation > Code::height ? 2 : 0;
  }
}

/// Returns the code of an operation.
constexpr Code code_of(Operation operation) { return static_cast<Code>(operation); }

}  // namespace tessera::expressions::detail
