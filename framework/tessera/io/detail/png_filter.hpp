// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tessera::io::detail {

/// Filters a row of a PNG image: chooses the one of the five filters of PNG that leaves the smallest numbers,
/// and writes its type and the `bytes` filtered bytes to `filtered`. `row` and `above` are the bytes of this
/// row and of the row before it, in the byte order of PNG. `pixel_bytes` is the number of bytes of a pixel.
/// So many zeros stand in memory before both rows. `above` is a row of zeros if this row is the first one.
void filter_png_row(const std::uint8_t* row, const std::uint8_t* above, std::int64_t bytes, int pixel_bytes,
                    std::uint8_t* filtered);

}  // namespace tessera::io::detail
