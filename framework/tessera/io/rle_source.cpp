// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/rle_reader.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {
namespace {

/// Sets the cells of `block` in `part` to `value`.
void set(const HostBlock& block, const Box& part, int value) {
  for (std::int64_t y = part[1].begin; y < part[1].end; ++y) {
    const Box row{part[0], {y, y + 1}};
    std::memset(address_of(block, row), value, static_cast<std::size_t>(part[0].size()));
  }
}

}  // namespace

void read_rle(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  RleReader reader(path);
  check_unchanged(path, info, ElementType::uint8, reader.domain());
  if (!block.box.empty()) set(block, block.box, 0);
  reader.read_runs([&](std::int64_t y, const Range& x) {
    const Box live = intersection(block.box, Box{x, {y, y + 1}});
    if (!live.empty()) set(block, live, 1);
  });
}

ImageInfo inspect_rle(const std::string& path) {
  return {ImageFormat::rle, ElementType::uint8, RleReader(path).domain()};
}

}  // namespace tessera::io::detail
