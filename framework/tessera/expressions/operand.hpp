// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/element_type.hpp"

namespace tessera::expressions {

/// An array that an expression reads.
struct Operand {
  /// The type of its elements, which are converted to float.
  ElementType type = ElementType::float32;
  /// The number of its dimensions. An array with fewer dimensions than the result has the same value at all
  /// points along the others. An array of one dimension is a number, and only its first element is read.
  int dimensions = 2;
};

}  // namespace tessera::expressions
