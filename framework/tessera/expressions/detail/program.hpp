// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/expressions/detail/code.hpp"

namespace tessera::expressions::detail {

/// An expression as a list of instructions on registers. A register holds the values of a node for all points
/// that are computed together: one point on devices, and a piece of a row on hosts. It is plain data, which
/// kernels hold by value.
struct Program {
  static constexpr int most_registers = 40;
  static constexpr int most_instructions = 96;
  static constexpr int most_loads = 24;

  /// Fills a register with a variable, or with a coordinate or an extent.
  struct Load {
    Code operation = Code::variable;
    /// The index of the name, if it is a variable.
    std::int16_t name = -1;
    std::int16_t to = -1;
  };
  /// Fills a register with a number.
  struct Constant {
    float value = 0;
    std::int16_t to = -1;
  };
  /// Computes a register from up to five others. The registers of the arguments may be the same as `to`.
  /// Arguments that the operation does not have are 0.
  struct Instruction {
    Code operation = Code::add;
    std::int16_t arguments[5] = {0, 0, 0, 0, 0};
    std::int16_t to = -1;
  };

  Load loads[most_loads];
  int load_count = 0;
  Constant constants[most_registers];
  int constant_count = 0;
  Instruction instructions[most_instructions];
  int instruction_count = 0;
  int register_count = 0;
  /// The register of the result.
  int result = -1;
};

/// Returns the program of an expression. If there is a `limit`, its results are limited to [0, limit] after
/// it. Equal nodes are computed once, operations that often follow each other are computed together, and
/// limits that have no effect are left out. Throws ExpressionError if the expression is too long.
Program compile(const Expression& expression, std::optional<float> limit = {});

}  // namespace tessera::expressions::detail
