// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Throws InternalError unless `block` is empty, or of this type, within `domain`, and has rows without gaps.
void check_block(const HostBlock& block, ElementType type, const Box& domain);

/// Describes memory that holds the points of `box` without padding, x fastest.
HostBlock packed_block(std::byte* data, ElementType type, const Box& box);

/// Where the first point of `part`, which lies in the block's box, is.
std::byte* address_of(const HostBlock& block, const Box& part);

/// Copies the points of `part` between two blocks of the same type that hold it.
void copy_part(const HostBlock& from, const HostBlock& to, const Box& part);

/// Calls use(first, points, memory) for each run of points that lie one after another both in the block and
/// in a file that holds `domain` without padding, x fastest; `first` is the number of points before it in the
/// file. Runs come in the order of the file, and are as long as they can be.
void for_each_run(const HostBlock& block, const Box& domain,
                  const std::function<void(std::int64_t first, std::int64_t points, std::byte* memory)>& use);

/// Cuts `box` into slabs, in the order of memory, each of at most `limit` points, or one row.
std::vector<Box> slabs(const Box& box, std::int64_t limit);

/// Cuts `box` where chunks meet, which have this many points per dimension and begin where `domain` does,
/// into parts that touch at most `limit` chunks, or one; as many along x as that allows.
std::vector<Box> groups_of_chunks(const Box& box, const Box& domain, const Point& chunk, std::int64_t limit);

}  // namespace tessera::io::detail
