// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/view/array_reference.hpp"

namespace tessera {

/// Arrays, messages and pieces of scratch memory begin on multiples of so many bytes: cache lines.
inline constexpr std::int64_t buffer_alignment = 64;

/// The next multiple of the alignment: where the piece of memory after one of so many bytes may begin.
constexpr std::int64_t aligned_bytes(std::int64_t bytes) {
  return (bytes + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
}

/// Says how a box of points lies in memory, x fastest. In padded layouts the points at `aligned_x` of every
/// row start on 64 bytes; rows are padded to 64 bytes, and their distance is not a multiple of 4096 bytes, as
/// such rows would share cache sets. Rows of fewer than 256 bytes are not padded, and others by at most 192
/// bytes, so elements whose size does not divide 64 bytes are aligned less well.
struct BlockLayout {
  /// The points, in global coordinates.
  Box box;
  /// The size of an element in bytes.
  std::int64_t element_size = 0;
  /// The distance between neighbours in each dimension, in elements, x first. strides[0] is 1.
  std::int64_t strides[max_dimensions] = {1, 0, 0, 0};
  /// The distance from the start of the memory to the first point of `box`, in elements.
  std::int64_t first = 0;
  /// The size of the memory in bytes, padding included.
  std::int64_t bytes = 0;

  /// Returns a reference to an array with this layout in memory at `data`, which must be aligned to 64 bytes.
  ArrayReference reference(std::byte* data) const;
};

/// Returns the padded layout of `box`. `aligned_x` is the x of the first point that the stage computes in
/// each row.
BlockLayout padded_layout(const Box& box, std::int64_t aligned_x, std::int64_t element_size);

/// Returns the layout of `box` without padding, as messages have it.
BlockLayout dense_layout(const Box& box, std::int64_t element_size);

/// Returns dense_layout(box, element_size).reference(data), and may be called in kernels.
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
