// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tessera/io/image_info.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

/// Returns a source of the image at `path`, which inspect_image or inspect_raw has described as `info`. All
/// ranks give the same arguments. This function does not touch the file; only `read` of the source does,
/// which may be called several times. `communicator` must outlive the source.
///
/// `read` is collective. Each block has the type of the image and lies in the domain of the image; it may be
/// empty. From HDF5 files each rank reads its own block, through MPI-IO where numbers are converted or stored
/// in chunks. From TIFF files a rank decodes the strips or tiles that contain points of its block, and holds
/// one of them at a time. From FITS and raw files a rank reads the rows of its block. PNG, JPEG and RLE files
/// can only be decoded from their beginning: each rank decodes them row by row to the end of its block, or to
/// the end of the file if its block has the last row, and keeps its own block. An interlaced PNG file or a
/// progressive JPEG file is held in memory as a whole meanwhile. Decoding of PNG and JPEG files continues
/// where the last `read` ended.
///
/// `read` throws the same InputError on every rank when the file is damaged or truncated, or when `info` does
/// not describe it any more. It throws StrandedError where one of several ranks cannot read compressed HDF5.
std::unique_ptr<BlockSource> open_image(MPI_Comm communicator, const std::string& path,
                                        const ImageInfo& info);

}  // namespace tessera::io
