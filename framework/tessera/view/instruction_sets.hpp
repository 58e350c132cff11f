// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <type_traits>

#include "tessera/view/compat.hpp"

namespace tessera {

/// The sets of instructions that kernels are compiled for, in ascending order. `baseline` stands for the
/// instructions that the compiler may use everywhere in the program. On x86-64, `avx2` adds AVX2, BMI and
/// BMI2, and `avx512` adds to these the parts F, BW, CD, DQ and VL of AVX-512. Every set gives the same bits.
enum class InstructionSet { baseline, avx2, avx512 };

/// Returns the greatest set that this processor has, or the one that limit_instruction_set has chosen.
InstructionSet instruction_set();

/// Makes instruction_set() return at most `most` from now on. No kernel may run during the call.
void limit_instruction_set(InstructionSet most);

/// Returns the name of a set: baseline, avx2 or avx512.
std::string_view to_string(InstructionSet set);

namespace detail {

// A compiler compiles a lambda for the same processors as the rest of the program, unless it is inlined into
// a function for others. The functions below are compiled for other processors, and inline their lambdas.
// Builds with TESSERA_CHECKS, which check every access, do not inline. These builds are not made for speed,
// and a file would otherwise take minutes to compile. A program that is compiled for AVX2 or more has one
// version of each kernel, because its user has named the processor.
#ifdef TESSERA_CHECKS
#define TESSERA_FLAT gnu::noinline
#else
#define TESSERA_FLAT gnu::noinline, gnu::flatten
#if defined(TESSERA_X86_HOST) && !defined(__AVX2__)
#define TESSERA_CHOOSES_INSTRUCTIONS
#endif
#endif

/// Calls `work`. The call operator, and everything that it calls, is inlined into this function, because a
/// single call that is not inlined prevents vectorisation. This function is not inlined into its caller, so
/// that the code of the caller does not compete for registers.
template <class Work>
[[TESSERA_FLAT]] void call_flat(const Work& work) {
  work();
}

#ifdef TESSERA_CHOOSES_INSTRUCTIONS

/// True if this file is compiled for several sets of instructions.
inline constexpr bool chooses_instructions = true;

/// Calls `work` as call_flat does, with the instructions of InstructionSet::avx2.
template <class Work>
[[TESSERA_FLAT, gnu::target("avx2,fma,bmi,bmi2")]] void call_flat_avx2(const Work& work) {
  work();
}

/// Calls `work` as call_flat does, with the instructions of InstructionSet::avx512. For some
/// processors, compilers use vectors of half the width, which is faster for programs that compute little.
/// Kernels use the full width.
template <class Work>
#ifdef __clang__
[[TESSERA_FLAT, gnu::target("avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]]
#else
[[TESSERA_FLAT,
  gnu::target("avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,prefer-vector-width=512")]]
#endif
void call_flat_avx512(const Work& work) {
  work();
}

/// Calls `work` as call_flat does, with the instructions of instruction_set().
template <class Work>
void call_flat_for_processor(const Work& work) {
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return call_flat_avx512(work);
    case InstructionSet::avx2:
      return call_flat_avx2(work);
    case InstructionSet::baseline:
      return call_flat(work);
  }
}

/// Calls work(bytes) as call_flat_for_processor does, where `bytes` is a constant: the size of the vectors of
/// the instructions.
/// Clang inlines only what is called directly, so that the body of `work` should always be inlined.
template <class Work>
void call_flat_with_vectors(const Work& work) {
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return call_flat_avx512([&work]() __attribute__((always_inline)) {
        work(std::integral_constant<int, 64>());
      });
    case InstructionSet::avx2:
      return call_flat_avx2([&work]()
                                __attribute__((always_inline)) { work(std::integral_constant<int, 32>()); });
    case InstructionSet::baseline:
      return call_flat([&work]() __attribute__((always_inline)) { work(std::integral_constant<int, 16>()); });
  }
}

#else

inline constexpr bool chooses_instructions = false;

template <class Work>
void call_flat_for_processor(const Work& work) {
  call_flat(work);
}

template <class Work>
void call_flat_with_vectors(const Work& work) {
#if defined(__AVX512F__)
  constexpr int bytes = 64;
#elif defined(__AVX__)
  constexpr int bytes = 32;
#else
  constexpr int bytes = 16;
#endif
  call_flat([&work]() __attribute__((always_inline)) { work(std::integral_constant<int, bytes>()); });
}

#endif

}  // namespace detail
}  // namespace tessera

// TESSERA_VECTORISED comes before a loop whose iterations do not depend on each other.
// TESSERA_VECTORISED_SUM(name) comes before a loop whose iterations depend on each other only because they
// add to the integer `name`. Compilers then vectorise the loop. Both stand for `omp simd`, except with GCC:
// it chooses the vectors of a loop with `omp simd` by the function where the loop is written, and not by the
// function where that one is inlined, which may be compiled for longer vectors (see call_flat_avx2).
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define TESSERA_VECTORISED _Pragma("GCC ivdep")
#define TESSERA_VECTORISED_SUM(name) _Pragma("GCC ivdep")
#else
#define TESSERA_PRAGMA(text) _Pragma(#text)
#define TESSERA_VECTORISED TESSERA_PRAGMA(omp simd)
#define TESSERA_VECTORISED_SUM(name) TESSERA_PRAGMA(omp simd reduction(+ : name))
#endif
