// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"

namespace tessera {

/// Where an array's points lie in memory, without its element type: `origin` is folded so that global
/// coordinates index it; the point p lies p[0] + sum(strides[d] * p[d]) elements after it. Plain data:
/// kernels carry it.
struct ArrayReference {
  std::byte* origin = nullptr;
  std::int64_t strides[max_dimensions] = {1, 0, 0, 0};
  /// Whether a host may write it past the caches, which it would leave before it is read again.
  bool streams = false;
};

}  // namespace tessera
