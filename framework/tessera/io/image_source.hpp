// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tessera/io/image_info.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

/// Returns a source of the image at `path`, which inspect_image or inspect_raw has described as `info`. All
/// ranks give the same arguments. The call does not touch the file; only `read` of the source does, and it
/// may be called again. `communicator` must outlive the source.
///
/// `read` is collective. Each block has the image's type and lies in its domain, and may be empty. From HDF5
/// each rank reads its own block, through MPI-IO where HDF5 converts it or puts it together. From TIFF it
/// decodes the strips or tiles that hold points of its block, and holds one of them at a time. From FITS and
/// raw files it reads its rows. PNG, JPEG and RLE files can only be decoded from their beginning, so each
/// rank decodes them row by row to the end of its block, or to the end of the file if it has the last row,
/// and keeps its own block. An interlaced PNG or progressive JPEG file is held in memory as a whole
/// meanwhile. PNG and JPEG go on where the last `read` ended.
///
/// `read` throws the same InputError on every rank when the file is damaged or truncated, or when `info` does
/// not describe it any more. It throws StrandedError where one of several ranks cannot read compressed HDF5.
std::unique_ptr<BlockSource> open_image(MPI_Comm communicator, const std::string& path,
                                        const ImageInfo& info);

}  // namespace tessera::io
