// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/domain/error.hpp"

namespace tessera::expressions {

/// The operations of the nodes of an expression, in the order of the numbers of their arguments. A joint
/// operation is several others together, and has the same result as these one by one. Stages compute joint
/// operations, and no node of an Expression has them.
enum class Operation {
  constant,              ///< a number
  variable,              ///< an image, or an array of one element
  column,                ///< the coordinate x of the point
  row,                   ///< the coordinate y of the point
  plane,                 ///< the channel of the point
  width,                 ///< the number of points of the images along x
  height,                ///< the number of points of the images along y
  negate,                ///< -a
  absolute,              ///< |a|
  square_root,           ///< the square root of a
  exponential,           ///< e to the power of a
  logarithm,             ///< the natural logarithm of a
  floor,                 ///< the greatest whole number that is not greater than a
  ceil,                  ///< the least whole number that is not less than a
  round,                 ///< the nearest whole number; halves are rounded away from 0
  add,                   ///< a + b
  subtract,              ///< a - b
  multiply,              ///< a * b
  divide,                ///< a / b
  power,                 ///< a to the power of b
  minimum,               ///< the lesser of a and b, and b if a is NaN
  maximum,               ///< the greater of a and b, and b if a is NaN
  less,                  ///< 1 if a < b, else 0
  less_or_equal,         ///< 1 if a <= b, else 0
  equal,                 ///< 1 if a == b, else 0
  not_equal,             ///< 1 if a != b, else 0
  absolute_difference,   ///< joint: |a - b|
  select,                ///< b if a is not 0, else c
  clamp,                 ///< the lesser of c and the greater of a and b
  multiply_add,          ///< joint: a * b + c
  multiply_subtract,     ///< joint: a * b - c
  subtract_product,      ///< joint: c - a * b
  root_of_sum,           ///< joint: the square root of a * b + c
  select_less,           ///< joint: c if a < b, else d
  select_less_or_equal,  ///< joint: c if a <= b, else d
  clamped_sum,           ///< joint: a * b + c, limited to [d, e]
  clamped_difference,    ///< joint: a * b - c, limited to [d, e]
  clamped_rest           ///< joint: c - a * b, limited to [d, e]
};

/// An error in the text of an expression. The message contains the column.
struct ExpressionError : InputError {
  /// Makes an error about the text from the column `at` on, which counts from 1.
  ExpressionError(const std::string& message, int at) : InputError(message), column(at) {}
  /// The column, counted from 1.
  int column;
};

/// An arithmetic expression over named images, such as `clamp(1.5 * clean - smooth, 0, 255)`. All arithmetic
/// is that of float (IEEE 754, 32 bits), operation by operation, so that the result of a point depends on
/// nothing but the values at this point. An expression has
///
/// * numbers, such as `2`, `0.5` or `1e-3`, and `pi`;
/// * names: letters, digits and `_`, which do not begin with a digit. `x`, `y`, `channel`, `width` and
///   `height` are the coordinates of the point and the extents of the images;
/// * `a + b`, `a - b`, `a * b`, `a / b`, `-a`, and parentheses;
/// * `a < b`, `a <= b`, `a > b`, `a >= b`, `a == b`, `a != b`, which are 1 or 0;
/// * `min(a, b, ...)`, `max(a, b, ...)`, `clamp(a, low, high)`, `abs(a)`, `sqrt(a)`, `exp(a)`, `log(a)`,
///   `pow(a, b)`, `floor(a)`, `ceil(a)`, `round(a)`, and `select(condition, a, b)`, which is `a` where the
///   condition is not 0. `round` rounds halves away from 0. As `min` and `max` are `b` if `a` is NaN, and `a
///   < b` does not hold for any NaN, `clamp` is `low` if `a` is NaN, and `min(a, b)` is NaN if `b` is.
///
/// A stage takes expressions of at most 96 operations and 24 names, coordinates and extents. At most 40
/// constants, names, coordinates, extents and intermediate results are kept at a time.
class Expression {
 public:
  /// A number, a name, or an operation on other nodes.
  struct Node {
    /// The operation that the node computes.
    Operation operation = Operation::constant;
    /// The number, if the node is a constant.
    float value = 0;
    /// The index in names(), if the node is a variable.
    int name = -1;
    /// The indices of the arguments in nodes(), which are less than the index of the node; -1 for arguments
    /// that the operation does not have.
    int arguments[3] = {-1, -1, -1};
  };
  /// A name in the text.
  struct Name {
    /// The name.
    std::string text;
    /// The column of its first occurrence, counted from 1.
    int column = 0;
  };

  /// Reads an expression. Operations on constants are computed at once. Throws ExpressionError, which tells
  /// the column, if the text is no expression, if it divides by the constant 0, if it is nested deeper than
  /// 64 levels, or if it has more than 4096 numbers, names and operations.
  explicit Expression(const std::string& text);

  /// Returns the condition that is 1 where this expression is not 0, and else 0. Throws ExpressionError
  /// unless the expression names variables. Conditions hold or do not hold for all points together, so that
  /// coordinates and extents are refused.
  Expression as_condition() const;

  /// The text.
  const std::string& text() const { return text_; }
  /// The nodes. The last one is the result.
  const std::vector<Node>& nodes() const { return nodes_; }
  /// The names of variables, each of them once, in the order of their first occurrences.
  const std::vector<Name>& names() const { return names_; }

 private:
  std::string text_;
  std::vector<Node> nodes_;
  std::vector<Name> names_;
};

/// Returns whether variables may have this name: whether it is a name in the sense of Expression that stands
/// for nothing else.
bool is_variable_name(std::string_view name);

/// Throws ExpressionError with the message and the place of an error: "message at column 14: 'clean - '".
[[noreturn]] void fail_at_column(const std::string& text, int column, const std::string& message);

}  // namespace tessera::expressions
