// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::io::detail {

/// The number of bytes to which a deflate stream may refer back.
inline constexpr std::size_t deflate_window = std::size_t{32} << 10;

/// Compresses `bytes`, which are filtered rows of a PNG image, to a part of a deflate stream. Parts that are
/// compressed by different threads form one stream when they are joined. `before` holds the bytes that
/// precede `bytes` in the image; the last `deflate_window` of them suffice. `is_last` says that the stream
/// ends with this part.
///
/// Filtered photographs have hardly any repetitions but runs, and a search for others takes ten times as long
/// as everything else. A sample of `bytes` therefore tells whether this search takes place.
std::vector<std::uint8_t> deflate_part(std::span<const std::uint8_t> before,
                                       std::span<const std::uint8_t> bytes, bool is_last);

}  // namespace tessera::io::detail
