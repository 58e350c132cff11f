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
  /// True if a host may write the array with non-temporal stores, which bypass the caches. This is useful if
  /// the array would no longer be in the caches when it is read again.
  bool non_temporal = false;
};

/// The alignment of arrays, messages and pieces of scratch memory, in bytes. It is the size of a cache line.
inline constexpr std::int64_t buffer_alignment = 64;

/// Returns `bytes`, rounded up to a multiple of buffer_alignment.
constexpr std::int64_t aligned_bytes(std::int64_t bytes) {
  return (bytes + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
}

/// The layout of a box of points in memory. Points that follow each other along x are neighbours in memory.
/// There may be padding between rows (see padded_layout).
struct BlockLayout {
  /// The points of the layout, in global coordinates.
  Box box;
  /// The size of an element in bytes.
  std::int64_t element_size = 0;
  /// The distance between neighbours in each dimension, in elements, x first. strides[0] is 1.
  std::int64_t strides[max_dimensions] = {1, 0, 0, 0};
  /// The distance from the start of the memory to the first point of `box`, in elements.
  std::int64_t first = 0;
  /// The size of the memory in bytes, padding included.
  std::int64_t bytes = 0;

  /// Returns a reference to an array that has this layout and whose memory begins at `data`. The address
  /// `data` must be a multiple of 64 bytes.
  ArrayReference reference(std::byte* data) const;
};

/// Returns the padded layout of `box`. `aligned_x` is the x of the first point that the stage computes in
/// each row. Rows of fewer than 256 bytes have no padding. In longer rows, the address of this point is a
/// multiple of 64 bytes. The distance between such rows is an odd multiple of 64 bytes, because rows at an
/// even multiple would share cache sets and memory channels. A row has at most 192 bytes of padding. If
/// the size of an element does not divide 64 bytes, points and rows may not be aligned.
BlockLayout padded_layout(const Box& box, std::int64_t aligned_x, std::int64_t element_size);

/// Returns the layout of `box` without padding. The boxes in messages have this layout.
BlockLayout dense_layout(const Box& box, std::int64_t element_size);

/// Returns the same reference as dense_layout(box, element_size).reference(data), but can be called in
/// kernels, too.
KOKKOS_FUNCTION inline ArrayReference dense_reference(std::byte* data, const Box& box,
                                                      std::int64_t element_size) {
  ArrayReference array;
  std::int64_t elements = 1, offset = 0;
  for (int d = 0; d < box.dimensions; ++d) {
    array.strides[d] = elements;
    offset += elements * box[d].begin;
    elements *= box[d].size();
  }
  array.origin = data - offset * element_size;
  return array;
}

}  // namespace tessera
