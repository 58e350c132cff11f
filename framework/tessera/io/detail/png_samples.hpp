// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/detail/png_calls.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Returns the element type of the samples of a PNG file.
constexpr ElementType sample_type(const PngLayout& layout) {
  return layout.bits == 16 ? ElementType::uint16 : ElementType::uint8;
}

/// Returns the domain of a PNG image. Its dimensions are x and y, and the channel if the image has colours.
Box domain_of(const PngLayout& layout);

/// Writes the samples of row `y` of `block` to `samples`, with all channels of a pixel together. `block`
/// holds whole rows in all channels. Floats are clamped to [0, 1], and become samples of 16 bits.
void make_row(const HostBlock& block, std::int64_t y, std::byte* samples);

}  // namespace tessera::io::detail
