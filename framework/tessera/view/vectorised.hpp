// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// TESSERA_VECTORISED comes before a loop whose iterations do not depend on each other.
// TESSERA_VECTORISED_SUM(name) comes before a loop whose iterations depend on each other only because they
// add to the integer `name`. Compilers then vectorise the loop. Both stand for `omp simd`, except with GCC:
// it gives a loop with `omp simd` no longer vectors than the function has in which the loop is written, even
// if this function is inlined into one that is compiled for another processor (see instruction_sets.hpp).
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define TESSERA_VECTORISED _Pragma("GCC ivdep")
#define TESSERA_VECTORISED_SUM(name) _Pragma("GCC ivdep")
#else
#define TESSERA_PRAGMA(text) _Pragma(#text)
#define TESSERA_VECTORISED TESSERA_PRAGMA(omp simd)
#define TESSERA_VECTORISED_SUM(name) TESSERA_PRAGMA(omp simd reduction(+ : name))
#endif
