// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tessera/io/image_info.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

/// The pixels of the image at `path`, which inspect_image described as `info`; the same arguments on every
/// rank. Does not touch the file: its `read` does, and may be called again. `communicator` must outlive the
/// source.
///
/// `read` is collective; each block is of the image's type and lies in its domain, and may be empty. From
/// HDF5 each rank reads its own block, through MPI-IO where HDF5 converts it or puts it together; from TIFF
/// it decodes the strips or tiles that hold points of its block, and holds one of them at a time; from FITS
/// and raw files it reads its rows. PNG, JPEG and RLE files can only be decoded from their beginning: each
/// rank decodes what comes before the end of its block, and to the end of the file if it has the last row,
/// row by row, and keeps its own block (an interlaced PNG or a progressive JPEG file is held whole
/// meanwhile); PNG and JPEG go on where the last `read` ended. `read` throws the same InputError on every
/// rank when the file is damaged, truncated, or no longer what `info` says; StrandedError where one of
/// several ranks cannot read compressed HDF5.
std::unique_ptr<BlockSource> open_image(MPI_Comm communicator, const std::string& path,
                                        const ImageInfo& info);

}  // namespace tessera::io
