// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"

namespace tessera {

/// Says where the points of an array lie in memory, without its element type. The point p lies p[0] +
/// sum(strides[d] * p[d] for d > 0) elements after `origin`, for global coordinates p. It is plain data,
/// which kernels carry.
struct ArrayReference {
  /// The place where the point with all coordinates 0 would lie; it may be outside the array's memory.
  std::byte* origin = nullptr;
  /// The distance between neighbours in each dimension, in elements, x first. strides[0] is 1.
  std::int64_t strides[max_dimensions] = {1, 0, 0, 0};
  /// True when a host may write the array past its caches, as it would have left them before it is read
  /// again.
  bool non_temporal = false;
};

}  // namespace tessera
