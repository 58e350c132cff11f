// SPDX-License-Identifier: BSD-3-Clause
// The functions for HDF5 files in a build without the HDF5 library.
#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/detail/hdf5_place.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/io/hdf5_version.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io {

const bool detail::has_hdf5 = false;

std::string hdf5_version() { return "none"; }

ImageInfo detail::inspect_hdf5(const std::string& path, const std::string&) {
  fail_to_read_without(path, "HDF5");
}

std::unique_ptr<BlockSource> detail::open_hdf5(MPI_Comm, const std::string& path, const ImageInfo&) {
  fail_to_read_without(path, "HDF5");
}

std::int64_t detail::create_hdf5_place(const std::string&, const std::string& path, const FileArray&) {
  fail_to_write_without(path, "HDF5");
}

std::vector<std::unique_ptr<BlockSink>> create_hdf5(MPI_Comm, const std::string& path,
                                                    const std::vector<FileArray>&, const Hdf5Storage&,
                                                    std::function<FileNotes()>) {
  detail::fail_to_write_without(path, "HDF5");
}

std::unique_ptr<BlockSink> create_hdf5(MPI_Comm, const std::string& path, const std::string&, const Box&,
                                       ElementType, std::function<FileNotes()>) {
  detail::fail_to_write_without(path, "HDF5");
}

}  // namespace tessera::io
