// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/host_copy.hpp"

#include <cstring>

namespace tessera {
namespace {

/// Copies the points of `part` whose coordinates in the dimensions above `dimension` are those of the two
/// addresses. The addresses are those of the first point of `part` in the other dimensions.
void copy_part(const HostBlock& from, const std::byte* source, const HostBlock& to, std::byte* target,
               const Box& part, int dimension) {
  const auto size = static_cast<std::int64_t>(size_of(to.type));
  const std::int64_t points = part[dimension].size();
  if (dimension == 0) {
    std::memcpy(target, source, static_cast<std::size_t>(points * size));
    return;
  }
  for (std::int64_t point = 0; point < points; ++point)
    copy_part(from, source + point * from.strides[dimension] * size, to,
              target + point * to.strides[dimension] * size, part, dimension - 1);
}

/// Returns the address of the first point of `part`.
std::byte* address(const HostBlock& block, const Box& part) {
  std::int64_t offset = 0;
  for (int d = 0; d < part.dimensions; ++d) offset += block.strides[d] * (part[d].begin - block.box[d].begin);
  return block.data + offset * static_cast<std::int64_t>(size_of(block.type));
}

}  // namespace

HostBlock dense_block(std::byte* data, ElementType type, const Box& box) {
  HostBlock block{data, type, box, {}};
  std::int64_t elements = 1;
  for (int d = 0; d < box.dimensions; ++d) {
    block.strides[d] = elements;
    elements *= box[d].size();
  }
  return block;
}

void copy_host(const HostBlock& from, const HostBlock& to) {
  const Box part = intersection(from.box, to.box);
  if (!part.empty()) copy_part(from, address(from, part), to, address(to, part), part, part.dimensions - 1);
}

}  // namespace tessera
