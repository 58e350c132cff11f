// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/block_io.hpp"

#include <cstring>

namespace tessera {

HostBlock packed_block(std::byte* data, ElementType type, const Box& box) {
  HostBlock block{data, type, box, {}};
  std::int64_t stride = 1;
  for (int d = 0; d < box.dimensions; ++d) {
    block.strides[d] = stride;
    stride *= box[d].size();
  }
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

}  // namespace tessera
