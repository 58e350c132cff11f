// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"

namespace tessera {

/// The place of an array in memory. The element type of the array is not part of it. The point with the
/// global coordinates p lies p[0] + sum(strides[d] * p[d] for d > 0) elements after `origin`. A reference is
/// plain data, and kernels hold it by value.
struct ArrayReference {
  /// The address at which the point with all coordinates 0 would lie. It may be outside the memory of the
  /// array.
  std::byte* origin = nullptr;
  /// The distance between neighbours in each dimension, in elements, x first. strides[0] is 1.
  std::int64_t strides[max_dimensions] = {1, 0, 0, 0};
  /// Whether a host may write the array with non-temporal stores, which bypass the caches. This is useful if
  /// the array would no longer be in the caches when it is read again.
  bool non_temporal = false;
};

}  // namespace tessera
