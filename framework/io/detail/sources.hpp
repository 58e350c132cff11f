// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tessera/io/image_info.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

// What open_image makes of each format.
std::unique_ptr<BlockSource> open_png(MPI_Comm communicator, const std::string& path, const ImageInfo& info);
std::unique_ptr<BlockSource> open_rle(MPI_Comm communicator, const std::string& path, const ImageInfo& info);
std::unique_ptr<BlockSource> open_tiff(MPI_Comm communicator, const std::string& path, const ImageInfo& info);
std::unique_ptr<BlockSource> open_jpeg(MPI_Comm communicator, const std::string& path, const ImageInfo& info);
std::unique_ptr<BlockSource> open_hdf5(MPI_Comm communicator, const std::string& path, const ImageInfo& info);

/// The file at `path` no longer holds what it did when the program looked first.
[[noreturn]] void fail_changed(const std::string& path);

}  // namespace tessera::io::detail
