// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/block.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace tessera {

detail::PageRange detail::whole_pages(const void* memory, std::size_t bytes, std::size_t page) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) / page * page, end = (begin + bytes) / page * page;
  return {first, end < first ? first : end};
}

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t fewest_bytes = 8 << 20;
  if (bytes < fewest_bytes) return;
  const auto pages = detail::whole_pages(memory, bytes, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  // If the system has no huge pages, the call fails and has no effect.
  static_cast<void>(madvise(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, MADV_HUGEPAGE));
#endif
}

HostBlock packed_block(std::byte* data, ElementType type, const Box& box) {
  HostBlock block{data, type, box, {}};
  std::ranges::copy(dense_layout(box, 1).strides, block.strides);
  return block;
}

std::byte* address_of(const HostBlock& block, const Box& part) {
  std::int64_t offset = 0;
  for (int d = 0; d < part.dimensions; ++d) offset += block.strides[d] * (part[d].begin - block.box[d].begin);
  return block.data + offset * static_cast<std::int64_t>(size_of(block.type));
}

void copy_part(const HostBlock& from, const HostBlock& to, const Box& part) {
  if (part.empty()) return;
  const std::size_t row_bytes = static_cast<std::size_t>(part[0].size()) * size_of(from.type);
  Box row = part;
  for (int d = 1; d < part.dimensions; ++d) row[d] = {part[d].begin, part[d].begin + 1};
  for (;;) {
    std::memcpy(address_of(to, row), address_of(from, row), row_bytes);
    // The next row: the lowest coordinate that is not the last one grows, and those below it begin anew.
    int d = 1;
    while (d < part.dimensions && row[d].end == part[d].end) {
      row[d] = {part[d].begin, part[d].begin + 1};
      ++d;
    }
    if (d >= part.dimensions) return;
    ++row[d].begin;
    ++row[d].end;
  }
}

namespace {

/// The size of a page of memory, in bytes.
constexpr std::int64_t page = 4096;
/// The smallest size of rows that are padded, in bytes.
constexpr std::int64_t smallest_padded_row = 256;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Returns a layout whose rows are `row` elements apart. `first` elements of padding come before the first
/// point.
BlockLayout with_rows(const Box& box, std::int64_t element_size, std::int64_t row, std::int64_t first) {
  BlockLayout layout;
  layout.box = box;
  layout.element_size = element_size;
  layout.first = first;
  std::int64_t elements = row;
  for (int d = 1; d < box.dimensions; ++d) {
    layout.strides[d] = elements;
    elements *= box[d].size();
  }
  layout.bytes = box.empty() ? 0 : elements * element_size;
  return layout;
}

/// Returns a layout for elements whose size does not divide 64 bytes. Rows begin at multiples of 64 bytes if
/// the distance between elements at such addresses, `step` elements, is at most `most_padding` bytes.
BlockLayout odd_layout(const Box& box, std::int64_t element_size, std::int64_t step) {
  constexpr std::int64_t most_padding = 192;
  std::int64_t row = box[0].size();
  if (step * element_size <= most_padding) row = round_up(row, step);
  if (row * element_size % page == 0) ++row;
  return with_rows(box, element_size, row, 0);
}

}  // namespace

ArrayReference BlockLayout::reference(std::byte* data) const {
  ArrayReference array;
  std::int64_t offset = first;
  for (int d = 0; d < box.dimensions; ++d) {
    array.strides[d] = strides[d];
    offset -= strides[d] * box[d].begin;
  }
  array.origin = data + offset * element_size;
  return array;
}

BlockLayout padded_layout(const Box& box, std::int64_t aligned_x, std::int64_t element_size) {
  const std::int64_t width = box[0].size();
  if (width * element_size < smallest_padded_row) return dense_layout(box, element_size);
  // Only every `step`-th element of a row can begin at a multiple of buffer_alignment.
  const std::int64_t step = buffer_alignment / std::gcd(buffer_alignment, element_size);
  if (step * element_size > buffer_alignment) return odd_layout(box, element_size, step);
  const std::int64_t ghosts_left = aligned_x > box[0].begin ? aligned_x - box[0].begin : 0;
  const std::int64_t first = round_up(ghosts_left, step) - ghosts_left;
  std::int64_t row = round_up(first + width, step);
  // Rows at an even number of cache lines from each other would use only half of the cache sets and of the
  // memory channels. A transpose past the caches would then take nearly twice as long.
  if (row * element_size % (2 * buffer_alignment) == 0) row += step;
  return with_rows(box, element_size, row, first);
}

BlockLayout dense_layout(const Box& box, std::int64_t element_size) {
  return with_rows(box, element_size, box[0].size(), 0);
}

}  // namespace tessera
