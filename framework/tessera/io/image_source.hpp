// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tessera/io/image_info.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

/// Returns a source of the image at `path`, which inspect_image or inspect_raw has described as `info`. All
/// ranks pass the same arguments. With MPI_COMM_SELF, neither the source nor its `read` calls MPI. This
/// function does not access the file; only `read` of the source does.
/// `read` may be called several times. `communicator` must outlive the source.
///
/// `read` is collective. Each block has the type of the image and lies in the domain of the image; blocks may
/// be empty. How the blocks are read depends on the format:
///
/// - HDF5: Each rank reads its own block. If the elements must be converted or are stored in chunks, several
///   ranks use MPI-IO. A source of one rank keeps the file open then, and chunks of ImageInfo::kept_bytes in
///   memory.
/// - TIFF: Each rank decodes the strips or tiles that contain points of its block, one after the other.
/// - FITS, FLO and raw: Each rank reads the rows of its block.
/// - RLE: Each rank decodes the whole file and keeps its block.
/// - PNG and JPEG: Rank 0 decodes the rows of the file from the first row to the last row of all blocks, and
///   sends the other ranks theirs. If a block has the last row of the image, the file is decoded to its end.
///   If the next call of `read` asks for rows further down, decoding continues at the row where it has
///   stopped. An interlaced PNG file or a progressive JPEG file is held in memory as a whole while it is
///   decoded.
///
/// `read` throws the same InputError on every rank when the file is damaged or truncated, or when `info` no
/// longer describes the file. If one of several ranks cannot read compressed HDF5, `read` throws
/// StrandedError.
std::unique_ptr<BlockSource> open_image(MPI_Comm communicator, const std::string& path,
                                        const ImageInfo& info);

}  // namespace tessera::io
