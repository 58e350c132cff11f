// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/instruction_sets.hpp"

#include <algorithm>

namespace tessera {
namespace {

InstructionSet greatest_of_processor() {
#ifdef TESSERA_X86_HOST
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
  if (has_avx2) return has_avx512 ? InstructionSet::avx512 : InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

InstructionSet& chosen() {
  static InstructionSet set = greatest_of_processor();
  return set;
}

}  // namespace

InstructionSet instruction_set() { return chosen(); }

void limit_instruction_set(InstructionSet most) { chosen() = std::min(most, greatest_of_processor()); }

std::string_view to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::baseline:
      return "baseline";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      return "avx512";
  }
  return "";
}

}  // namespace tessera
