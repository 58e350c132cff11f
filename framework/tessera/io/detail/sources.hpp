// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tessera/io/detail/row_source.hpp"
#include "tessera/io/image_info.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

// Functions that return a description of the image in a file. They are called on one rank, by inspect_image,
// which determines the format. These functions throw InputError when the file is damaged, or when Tessera was
// built without support for the format.
ImageInfo inspect_png(const std::string& path);
ImageInfo inspect_rle(const std::string& path);
ImageInfo inspect_flo(const std::string& path);
ImageInfo inspect_jpeg(const std::string& path);
ImageInfo inspect_tiff(const std::string& path, int page);
ImageInfo inspect_fits(const std::string& path, const std::string& extension);
ImageInfo inspect_hdf5(const std::string& path, const std::string& dataset);

// Functions that fill `block` from a file that each rank reads by itself. `block` lies in the domain of
// `info`. These functions throw InputError when the file is damaged, or when the image in the file differs
// from `info`.
void read_rle(const std::string& path, const ImageInfo& info, const HostBlock& block);
void read_flo(const std::string& path, const ImageInfo& info, const HostBlock& block);
void read_fits(const std::string& path, const ImageInfo& info, const HostBlock& block);
void read_raw(const std::string& path, const ImageInfo& info, const HostBlock& block);
void read_tiff(const std::string& path, const ImageInfo& info, const HostBlock& block);

// Functions that open a file of a format that can only be decoded from its beginning (see RowSource).
std::unique_ptr<RowReader> open_png(const std::string& path);
std::unique_ptr<RowReader> open_jpeg(const std::string& path);

/// Returns a source for an HDF5 file, which all ranks read together.
std::unique_ptr<BlockSource> open_hdf5(MPI_Comm communicator, const std::string& path, const ImageInfo& info);

/// Throws InputError when the file at `path` has changed since `info` was determined. `type` and `domain`
/// are the element type and the domain of the file now; `info` has the earlier ones.
void check_unchanged(const std::string& path, const ImageInfo& info, ElementType type, const Box& domain);

}  // namespace tessera::io::detail
