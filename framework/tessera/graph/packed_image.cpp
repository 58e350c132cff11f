// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/packed_image.hpp"

#include "tessera/domain/error.hpp"
#include "tessera/view/host_copy.hpp"

namespace tessera::graph {
namespace {

std::size_t bytes_of(const HostBlock& points) {
  return static_cast<std::size_t>(points.box.size()) * size_of(points.type);
}

}  // namespace

PackedImage packed(std::int64_t index, const HostBlock& points) {
  PackedImage image{index, std::vector<std::byte>(bytes_of(points))};
  copy_part(points, packed_block(image.samples.data(), points.type, points.box), points.box);
  return image;
}

void unpack(const PackedImage& image, const HostBlock& points) {
  if (image.samples.size() != bytes_of(points))
    throw InternalError("a packed image has other samples than the block that it is copied to");
  // Nothing is written through the block of the samples.
  std::byte* const samples = const_cast<std::byte*>(image.samples.data());
  copy_part(packed_block(samples, points.type, points.box), points, points.box);
}

}  // namespace tessera::graph
