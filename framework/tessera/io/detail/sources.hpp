// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tessera/io/detail/row_source.hpp"
#include "tessera/io/image_info.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

// How one rank finds out what the image in a file is; see inspect_image, which tells the formats apart. They
// throw InputError when the file is damaged, or when Tessera was built without the format.
ImageInfo inspect_png(const std::string& path);
ImageInfo inspect_rle(const std::string& path);
ImageInfo inspect_jpeg(const std::string& path);
ImageInfo inspect_tiff(const std::string& path, int page);
ImageInfo inspect_fits(const std::string& path, const std::string& extension);
ImageInfo inspect_hdf5(const std::string& path, const std::string& dataset);

// How a rank fills its block, which lies in the domain of `info`, from a file that it reads by itself. They
// throw InputError when the file is damaged, or no longer what `info` says.
void read_rle(const std::string& path, const ImageInfo& info, const HostBlock& block);
void read_fits(const std::string& path, const ImageInfo& info, const HostBlock& block);
void read_raw(const std::string& path, const ImageInfo& info, const HostBlock& block);
void read_tiff(const std::string& path, const ImageInfo& info, const HostBlock& block);

// Files that are decoded from their beginning (see RowSource).
std::unique_ptr<RowReader> open_png(const std::string& path);
std::unique_ptr<RowReader> open_jpeg(const std::string& path);

/// HDF5 is read by all ranks together.
std::unique_ptr<BlockSource> open_hdf5(MPI_Comm communicator, const std::string& path, const ImageInfo& info);

/// Throws InputError when `type` and `domain`, which the file at `path` has, are not those of `info`: it has
/// changed since the program looked first.
void check_unchanged(const std::string& path, const ImageInfo& info, ElementType type, const Box& domain);

}  // namespace tessera::io::detail
