// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::io::detail {

/// The number of bytes to which a deflate stream may refer back.
inline constexpr std::size_t deflate_window = std::size_t{32} << 10;

/// Returns whether `sample`, which is a part of the filtered rows of a PNG image, becomes clearly smaller if
/// zlib searches it for repetitions. Filtered photographs have hardly any, except runs of equal bytes, and
/// the search for others takes ten times as long as everything else.
bool has_repetitions(std::span<const std::uint8_t> sample);

/// Compresses `bytes`, which are filtered rows of a PNG image, to a part of a deflate stream. Parts that are
/// compressed by different threads form one stream when they are joined. `before` holds the bytes that
/// precede `bytes` in the image; the last `deflate_window` of them suffice. `searches` says whether
/// repetitions are searched for, besides runs, and `is_last` whether the stream ends with this part.
std::vector<std::uint8_t> deflate_part(std::span<const std::uint8_t> before,
                                       std::span<const std::uint8_t> bytes, bool searches, bool is_last);

}  // namespace tessera::io::detail
