// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// A sum modulo 2^64 over the points of a block, of a number that follows from a point's place in `domain`
/// and from its bits: those of blocks that make up the domain have the same total however it is divided. Any
/// change of one point changes it.
std::uint64_t digest(const HostBlock& block, const Box& domain);

/// The same of points that lie one after another, the first of which has this place; elements have 1, 2, 4 or
/// 8 bytes.
std::uint64_t digest(const std::byte* memory, std::size_t element_bytes, std::int64_t first,
                     std::int64_t points);

/// The same of a text.
std::uint64_t digest(std::string_view text);

}  // namespace tessera::io::detail
