// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// The domain of an image: x, y and, for colour, the channel.
Box image_domain(std::int64_t width, std::int64_t height, std::int64_t channels);

/// The channels of an image of this box: the range of its third dimension, or one channel if it has two.
Range channels_of(const Box& box);

/// Points of an image in the order of most files: those of a row side by side, the channels of a point
/// together. No padding.
struct Interleaved {
  std::byte* data = nullptr;
  ElementType type = ElementType::uint8;
  Box box;  ///< of 2 dimensions, or 3 with channels
};

/// Row `y` of an image of this domain, in all columns and channels.
Interleaved row_of(std::byte* data, ElementType type, const Box& domain, std::int64_t y);

/// Copies the points that both hold, which are of one type.
void take_points(const Interleaved& from, const HostBlock& to);
void put_points(const HostBlock& from, const Interleaved& to);

}  // namespace tessera::io::detail
