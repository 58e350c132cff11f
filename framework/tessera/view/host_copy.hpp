// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/view/block_io.hpp"

namespace tessera {

/// Returns a block of the points `box` without padding, whose memory begins at `data`.
HostBlock dense_block(std::byte* data, ElementType type, const Box& box);

/// Copies the points that two blocks have in common from one to the other, on the calling thread. The blocks
/// must have the same element type, and no memory in common.
void copy_host(const HostBlock& from, const HostBlock& to);

}  // namespace tessera
