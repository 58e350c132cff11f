// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// KMEANS_UNROLLED comes before a loop with a small constant number of turns, which is unrolled, so that the
// arrays that it indexes become registers.
#ifdef __clang__
#define KMEANS_UNROLLED _Pragma("unroll")
#else
#define KMEANS_UNROLLED _Pragma("GCC unroll 16")
#endif
