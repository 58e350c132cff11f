// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/instruction_limit.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "tessera/domain/error.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::app {

void limit_instructions_from_environment() {
  const char* text = std::getenv("TESSERA_INSTRUCTIONS");
  if (text == nullptr || *text == '\0') return;
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512})
    if (text == to_string(set)) return limit_instruction_set(set);
  throw InputError(fmt::format(
      "the environment variable TESSERA_INSTRUCTIONS is '{}': give baseline, avx2 or avx512", text));
}

}  // namespace tessera::app
