// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// KMEANS_UNROLLED comes before a loop with a small constant number of turns, which is unrolled, so that the
// arrays that it indexes become registers. Nvcc passes the pragma on to GCC, which knows it, but warns that
// it does not know it itself.
#ifdef __clang__
#define KMEANS_UNROLLED _Pragma("unroll")
#elif defined(__CUDACC__)
#define KMEANS_UNROLLED                                                                   \
  _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 1675") _Pragma("GCC unroll 16") \
      _Pragma("nv_diagnostic pop")
#else
#define KMEANS_UNROLLED _Pragma("GCC unroll 16")
#endif
