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

/// How a box of points lies in memory: x fastest; the points at `aligned_x` of every row start on 64 bytes;
/// rows are padded to 64 bytes and their distance is not a multiple of 4096 bytes (such rows would share
/// cache sets). Rows under 256 bytes are not padded, others by at most 192 bytes: elements that do not divide
/// 64 bytes are aligned less well.
struct BlockLayout {
  Box box;
  std::int64_t element_size = 0;
  /// In elements; strides[0] is 1.
  std::int64_t strides[max_dimensions] = {1, 0, 0, 0};
  /// Elements from the start of the memory to the first point of `box`.
  std::int64_t first = 0;
  /// Bytes of memory, padding included.
  std::int64_t bytes = 0;

  /// A reference into memory at `data` (64-byte aligned) that is laid out like this.
  ArrayReference reference(std::byte* data) const;
};

/// The padded layout of `box`. `aligned_x` is the first point that the stage computes in each row.
BlockLayout padded_layout(const Box& box, std::int64_t aligned_x, std::int64_t element_size);

/// The layout of `box` without any padding: messages.
BlockLayout dense_layout(const Box& box, std::int64_t element_size);

/// What dense_layout(box, element_size).reference(data) gives, in kernels too.
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
