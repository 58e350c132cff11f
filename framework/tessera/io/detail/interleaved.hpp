// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Returns the domain of an image. Its dimensions are x and y, and the channel if there are several channels.
Box image_domain(std::int64_t width, std::int64_t height, std::int64_t channels);

/// Returns the range of the channels in `box`: the range of its third dimension, or [0, 1) if `box` has two
/// dimensions.
Range channels_of(const Box& box);

/// Whether PNG and TIFF files that are written can hold arrays with this domain: images of at least one
/// point, with 1 (grey), 3 (RGB) or 4 channels (RGB and transparency).
bool is_writable_image(const Box& domain);

/// Points of an image in the order of most files: row by row, and in each row pixel by pixel, with all
/// channels of a pixel together. There is no padding.
struct Interleaved {
  std::byte* data = nullptr;
  ElementType type = ElementType::uint8;
  Box box;  ///< the points: (x, y) or (x, y, channel)
};

/// Returns a description of row `y` of an image with the domain `domain`. The memory at `data` holds all
/// columns and channels of the row.
Interleaved row_of(std::byte* data, ElementType type, const Box& domain, std::int64_t y);

/// Copies the points that both `from` and `to` hold. Both have the same element type.
void take_points(const Interleaved& from, const HostBlock& to);
/// Copies the points that both `from` and `to` hold. Both have the same element type.
void put_points(const HostBlock& from, const Interleaved& to);

}  // namespace tessera::io::detail
