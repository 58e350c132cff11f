// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Creates a PNG file, as create_image does.
std::unique_ptr<BlockSink> create_png(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type, int threads);

/// Calls work(index) once for each index in [0, count), on at most `threads` threads at the same time. The
/// calling thread is one of them. The others are no threads of Kokkos, so that several threads may call this
/// function at the same time. Returns when all calls have ended. If calls throw exceptions, one of these
/// exceptions is thrown again, and the work for some indices may be left out.
void in_threads(int threads, std::int64_t count, const std::function<void(std::int64_t)>& work);

/// Filters a row of a PNG image: chooses the one of the five filters of PNG that leaves the smallest numbers,
/// and writes its type and the `bytes` filtered bytes to `filtered`. `row` and `above` are the bytes of this
/// row and of the row before it, in the byte order of PNG. `pixel_bytes` is the number of bytes of a pixel,
/// and also of the zeros in memory before both rows. `above` is a row of zeros if this row is the first one.
void filter_png_row(const std::uint8_t* row, const std::uint8_t* above, std::int64_t bytes, int pixel_bytes,
                    std::uint8_t* filtered);

/// A deflate stream may refer back to this number of bytes.
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
