// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/detail/png_calls.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// The type of a PNG file's samples.
constexpr ElementType sample_type(const PngLayout& layout) {
  return layout.bits == 16 ? ElementType::uint16 : ElementType::uint8;
}

/// The domain of a PNG image: x, y and, for colour, the channel.
Box domain_of(const PngLayout& layout);

/// Makes the samples of row `y` of `block`, which holds whole rows in all channels: channels fastest; floats
/// in [0, 1] become 16-bit samples.
void make_row(const HostBlock& block, std::int64_t y, std::byte* samples);

}  // namespace tessera::io::detail
