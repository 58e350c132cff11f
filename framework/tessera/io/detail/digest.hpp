// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Returns the digest of the points of a block: a sum modulo 2^64 of one number per point. The number of a
/// point is computed from its place in `domain` and its bits. If `domain` is divided into blocks, the digests
/// of these blocks have the same sum for every division. A change of a single point always changes the
/// digest.
std::uint64_t digest(const HostBlock& block, const Box& domain);

/// Returns the digest of `points` points that follow each other in memory. `first` is the place of the first
/// point. An element has 1, 2, 4 or 8 bytes.
std::uint64_t digest(const std::byte* memory, std::size_t element_bytes, std::int64_t first,
                     std::int64_t points);

/// Returns the digest of a text, which depends on its characters and its length.
std::uint64_t digest(std::string_view text);

}  // namespace tessera::io::detail
