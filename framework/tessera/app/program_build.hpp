// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/view/instruction_sets.hpp"

namespace tessera::app {

/// How a program is compiled. This describes the translation unit that contains main() and the kernels.
struct ProgramBuild {
  /// Whether the compiler optimises.
  bool is_optimised = false;
  /// The largest instruction set that the compiler may use, such as "x86-64-v3 (AVX2)".
  const char* instruction_set = "";
  /// Whether kernels are compiled for larger sets of instructions, too, among which the program chooses when
  /// it starts (see InstructionSet).
  bool chooses_instructions = false;
};

/// A description of how the translation unit that includes this header is compiled. It is the default
/// argument of the functions that run programs. These functions therefore learn that the program is not
/// optimised although the Tessera library is.
static constexpr ProgramBuild this_program = {
#if defined(__OPTIMIZE__)
    true,
#else
    false,
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
    "x86-64-v4 (AVX-512)"
#elif defined(__AVX2__) && defined(__FMA__)
    "x86-64-v3 (AVX2)"
#elif defined(__SSE4_2__)
    "x86-64-v2 (SSE4.2)"
#elif defined(__x86_64__)
    "x86-64 (SSE2)"
#elif defined(__ARM_FEATURE_SVE)
    "AArch64 (SVE)"
#elif defined(__aarch64__)
    "AArch64 (NEON)"
#else
    "the compiler's default instructions"
#endif
    ,
    tessera::detail::chooses_instructions,
};

}  // namespace tessera::app
