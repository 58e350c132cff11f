// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/view/block_layout.hpp"

// AddressSanitizer sees what the code for planes reads and writes (see guarded_plane.hpp).
#if defined(__SANITIZE_ADDRESS__)
#define TESSERA_GUARDS_PLANES
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESSERA_GUARDS_PLANES
#endif
#endif

// Hosts compute whole planes where bodies have algorithms for them that take several rows or points together.
// Devices compute such bodies point by point, and so do builds with TESSERA_CHECKS, unless AddressSanitizer
// checks each access. Bodies use vectors of compilers, which compilers for devices do not have.
#if defined(__GNUC__) && (!defined(TESSERA_CHECKS) || defined(TESSERA_GUARDS_PLANES)) && \
    !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#define TESSERA_COMPUTES_PLANES
#endif

namespace tessera::operators::detail {

/// A plane of an array in memory: all points that have the same channel.
template <class T>
struct Plane {
  /// The address at which the point (0, 0) would lie.
  T* origin;
  /// The distance between rows, in elements.
  std::ptrdiff_t stride;

  /// Returns the address at which the point (0, y) would lie.
  KOKKOS_FORCEINLINE_FUNCTION T* row(std::int64_t y) const { return origin + y * stride; }

  /// Returns the plane with the channel `c` of an array.
  static Plane of(const ArrayReference& array, std::int64_t c) {
    return {reinterpret_cast<T*>(array.origin) + c * array.strides[2], array.strides[1]};
  }
};

/// Returns memory for `count` elements, which the calling thread keeps for its next call. Each `Owner` has
/// memory of its own. The elements have any values.
template <class Owner, class T>
T* scratch(std::size_t count) {
  static thread_local std::vector<T> memory;
#ifdef TESSERA_GUARDS_PLANES
  memory = std::vector<T>(count);  // no more than `count`, so that accesses beyond are seen
#endif
  if (memory.size() < count) memory.resize(count);
  return memory.data();
}
/// Returns scratch memory for a number of elements that has a sign.
template <class Owner, class T>
T* scratch(std::int64_t count) {
  return scratch<Owner, T>(static_cast<std::size_t>(count));
}

}  // namespace tessera::operators::detail
