// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/png_samples.hpp"

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/interleaved.hpp"

namespace tessera::io::detail {
namespace {

std::uint16_t to_sample(float value) {
  if (!(value > 0.0F)) return 0;  // also for NaN
  return value >= 1.0F ? std::uint16_t{65535} : static_cast<std::uint16_t>(value * 65535.0 + 0.5);
}

/// Returns the address of the first point of row `y` of `block` in channel `c`.
std::byte* row_address(const HostBlock& block, std::int64_t y, std::int64_t c) {
  Box row = block.box;
  row[1] = {y, y + 1};
  if (row.dimensions == 3) row[2] = {c, c + 1};
  return address_of(block, row);
}

void make_row_of_floats(const HostBlock& block, std::int64_t y, std::uint16_t* samples) {
  const Range channel = channels_of(block.box);
  for (std::int64_t c = channel.begin; c < channel.end; ++c) {
    const auto* row = reinterpret_cast<const float*>(row_address(block, y, c));
    for (std::int64_t i = 0; i < block.box[0].size(); ++i)
      samples[i * channel.size() + c - channel.begin] = to_sample(row[i]);
  }
}

}  // namespace

Box domain_of(const PngLayout& layout) { return image_domain(layout.width, layout.height, layout.channels); }

void make_row(const HostBlock& block, std::int64_t y, std::byte* samples) {
  if (block.type == ElementType::float32)
    make_row_of_floats(block, y, reinterpret_cast<std::uint16_t*>(samples));
  else
    put_points(block, row_of(samples, block.type, block.box, y));
}

}  // namespace tessera::io::detail
