// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Throws InternalError if `block` has another element type than `type`, lies partly outside `domain`, has no
/// memory, or has gaps between the points of a row. An empty block is always accepted.
void check_block(const HostBlock& block, ElementType type, const Box& domain);

/// Calls use(first, points, memory) for each run of the block: a sequence of points, as long as possible,
/// that follow each other both in the block and in a file that holds `domain` without padding, x fastest.
/// `first` is the number of points before the run in the file. The runs are in the order of the file.
void for_each_run(const HostBlock& block, const Box& domain,
                  const std::function<void(std::int64_t first, std::int64_t points, std::byte* memory)>& use);

/// Cuts `box` into slabs, in the order of memory, of at most `limit` points; only a single row may have more.
std::vector<Box> slabs(const Box& box, std::int64_t limit);

/// Cuts `box` into parts along the borders of chunks. `chunk` is the number of points of a chunk in each
/// dimension, and the first chunk begins where `domain` begins. Each part touches at most `limit` chunks, but
/// at least one. A part extends first along x as far as the limit allows, then along y, and so on.
std::vector<Box> groups_of_chunks(const Box& box, const Box& domain, const Point& chunk, std::int64_t limit);

/// Returns the domain of an image. Its dimensions are x and y, and the channel if there are several channels.
Box image_domain(std::int64_t width, std::int64_t height, std::int64_t channels);

/// Returns the range of the channels in `box`: the range of its third dimension, or [0, 1) if `box` has two
/// dimensions.
Range channels_of(const Box& box);

/// Returns the number of bytes of a row of an image, in all channels.
std::int64_t bytes_of_row(const Box& domain, ElementType type);

/// Points of an image in the order of most files: row by row, and in each row pixel by pixel, with all
/// channels of a pixel together. There is no padding.
struct Interleaved {
  std::byte* data = nullptr;
  ElementType type = ElementType::uint8;
  Box box;  ///< the points: (x, y) or (x, y, channel)
};

/// Returns row `y` of an image. The memory at `data` holds all columns and channels of the row.
Interleaved row_of(std::byte* data, ElementType type, const Box& domain, std::int64_t y);

/// Returns the address in a block of an image of the first point from column `x` on in row `y` of channel
/// `c`.
std::byte* row_address(const HostBlock& block, std::int64_t x, std::int64_t y, std::int64_t c);

/// Copies the points that both `from` and `to` hold. Both have the same element type.
void take_points(const Interleaved& from, const HostBlock& to);
/// Copies the points that both `from` and `to` hold. Both have the same element type.
void put_points(const HostBlock& from, const Interleaved& to);

}  // namespace tessera::io::detail
