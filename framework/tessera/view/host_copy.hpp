// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"

// Blocks in host memory, which one thread copies.
namespace tessera {

/// Returns a block for the memory at `data`, which holds the points of `box` without padding, x fastest.
HostBlock packed_block(std::byte* data, ElementType type, const Box& box);

/// Returns the address of the first point of `part`. `part` lies in the box of the block.
std::byte* address_of(const HostBlock& block, const Box& part);

/// Copies the points of `part` from one block to another. Both blocks hold `part`, and have the same element
/// type.
void copy_part(const HostBlock& from, const HostBlock& to, const Box& part);

}  // namespace tessera
