// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/view/compat.hpp"

namespace bench {

// What somebody without a framework writes for the stages of bodies.hpp: one row, from a row of the input
// whose neighbours lie `stride` elements apart.

struct CopyRow {
  template <class T>
  static void run(const T* KOKKOS_RESTRICT in, std::ptrdiff_t, T* KOKKOS_RESTRICT out, int width) {
#pragma omp simd
    for (int x = 0; x < width; ++x) out[x] = in[x];
  }
};

struct Box3x3Row {
  static void run(const float* KOKKOS_RESTRICT in, std::ptrdiff_t stride, float* KOKKOS_RESTRICT out,
                  int width) {
    const float* KOKKOS_RESTRICT up = in - stride;
    const float* KOKKOS_RESTRICT down = in + stride;
#pragma omp simd
    for (int x = 0; x < width; ++x)
      out[x] = (up[x - 1] + up[x] + up[x + 1] + in[x - 1] + in[x] + in[x + 1] + down[x - 1] + down[x] +
                down[x + 1]) *
               (1.0f / 9);
  }
};

struct FivePointRow {
  static void run(const float* KOKKOS_RESTRICT in, std::ptrdiff_t stride, float* KOKKOS_RESTRICT out,
                  int width) {
    const float* KOKKOS_RESTRICT up = in - stride;
    const float* KOKKOS_RESTRICT down = in + stride;
#pragma omp simd
    for (int x = 0; x < width; ++x)
      out[x] = (up[x] + in[x - 1] + in[x + 1] + down[x] - 4 * in[x]) * 0.125f + in[x];
  }
};

struct Row5Row {
  static void run(const std::uint8_t* KOKKOS_RESTRICT in, std::ptrdiff_t, std::uint8_t* KOKKOS_RESTRICT out,
                  int width) {
#pragma omp simd
    for (int x = 0; x < width; ++x)
      out[x] = static_cast<std::uint8_t>(
          (in[x - 2] + 4 * in[x - 1] + 6 * in[x] + 4 * in[x + 1] + in[x + 2] + 8) / 16);
  }
};

struct Column5Row {
  static void run(const std::uint8_t* KOKKOS_RESTRICT in, std::ptrdiff_t stride,
                  std::uint8_t* KOKKOS_RESTRICT out, int width) {
#pragma omp simd
    for (int x = 0; x < width; ++x)
      out[x] = static_cast<std::uint8_t>((in[x - 2 * stride] + 4 * in[x - stride] + 6 * in[x] +
                                          4 * in[x + stride] + in[x + 2 * stride] + 8) /
                                         16);
  }
};

}  // namespace bench
