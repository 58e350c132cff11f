// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/view/host_copy.hpp"

namespace tessera::io::detail {

/// Throws InternalError if `block` has another element type than `type`, lies partly outside `domain`, has no
/// memory, or has gaps between the points of a row. An empty block is always accepted.
void check_block(const HostBlock& block, ElementType type, const Box& domain);

/// Calls use(first, points, memory) for each run of the block. A run is a sequence of points that follow each
/// other both in the block and in a file that holds `domain` without padding, x fastest. `first` is the
/// number of points before the run in the file. The runs are in the order of the file, and are as long as
/// possible.
void for_each_run(const HostBlock& block, const Box& domain,
                  const std::function<void(std::int64_t first, std::int64_t points, std::byte* memory)>& use);

/// Cuts `box` into slabs, in the order of memory. A slab has at most `limit` points; only a single row may
/// have more.
std::vector<Box> slabs(const Box& box, std::int64_t limit);

/// Cuts `box` into parts along the borders of chunks. `chunk` is the number of points of a chunk in each
/// dimension, and the first chunk begins where `domain` begins. Each part touches at most `limit` chunks, but
/// at least one. A part extends first along x as far as the limit allows, then along y, and so on.
std::vector<Box> groups_of_chunks(const Box& box, const Box& domain, const Point& chunk, std::int64_t limit);

}  // namespace tessera::io::detail
