// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/domain/element_type.hpp"
#include "tessera/expressions/detail/program.hpp"

namespace tessera::expressions::detail {

/// An instruction of a program for hosts, which compute a piece of a row step by step. The result of a step
/// stays in vectors of the processor for the next one, and goes to memory only if others read it.
struct Step {
  Program::Instruction instruction;
  /// The argument that is the result of the step before and stays in vectors; -1 if there is none.
  int carried = -1;
  /// Whether the result has to be in its register, too.
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
