// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/view/instruction_sets.hpp"

namespace tessera::test {

/// All sets of instructions.
inline constexpr InstructionSet all_instruction_sets[] = {InstructionSet::baseline, InstructionSet::avx2,
                                                          InstructionSet::avx512};

/// Limits the instructions of kernels while it lives.
class LimitedInstructions {
 public:
  explicit LimitedInstructions(InstructionSet most) : before_(instruction_set()) {
    limit_instruction_set(most);
  }
  ~LimitedInstructions() { limit_instruction_set(before_); }
  LimitedInstructions(const LimitedInstructions&) = delete;
  LimitedInstructions& operator=(const LimitedInstructions&) = delete;

 private:
  InstructionSet before_;
};

}  // namespace tessera::test
