// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/domain/element_type.hpp"
#include "tessera/expressions/expression.hpp"

namespace tessera::expressions::detail {

/// Returns the number of arguments of an operation.
constexpr int argument_count(Operation operation) {
  if (operation <= Operation::height) return 0;
  if (operation <= Operation::round) return 1;
  if (operation <= Operation::absolute_difference) return 2;
  if (operation <= Operation::root_of_sum) return 3;
  return operation <= Operation::select_less_or_equal ? 4 : 5;
}

/// An expression as a list of instructions on registers. A register holds the values of a node for all points
/// that are computed together: one point on devices, and a piece of a row on hosts. It is plain data, which
/// kernels hold by value.
struct Program {
  static constexpr int most_registers = 40;
  static constexpr int most_instructions = 96;
  static constexpr int most_loads = 24;

  /// Fills a register with a variable, or with a coordinate or an extent.
  struct Load {
    Operation operation = Operation::variable;
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
    Operation operation = Operation::add;
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

/// An instruction of a program for hosts, which compute a piece of a row step by step. The result of a step
/// stays in vectors of the processor for the next one, and goes to memory only if others read it.
struct Step {
  Program::Instruction instruction;
  /// The argument that is the result of the step before and stays in vectors; -1 if there is none.
  int carried = -1;
  /// True if the result has to be in its register, too.
  bool is_kept = false;
};

/// Returns whether the result of the last step of a program stays in vectors until it is stored. It does not
/// if its results are converted to another type, or if it is the only one.
inline bool is_last_carried(const Program& program, ElementType type) {
  return type == ElementType::float32 && program.instruction_count > 1;
}

/// Returns the steps of a program whose results have a type.
std::vector<Step> make_steps(const Program& program, ElementType type);

}  // namespace tessera::expressions::detail
