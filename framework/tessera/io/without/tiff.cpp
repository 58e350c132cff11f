// SPDX-License-Identifier: BSD-3-Clause
// The functions for TIFF files in a build without libtiff.
#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io {

const bool detail::has_tiff = false;

ImageInfo detail::inspect_tiff(const std::string& path, int) { fail_to_read_without(path, "TIFF"); }

void detail::read_tiff(const std::string& path, const ImageInfo&, const HostBlock&) {
  fail_to_read_without(path, "TIFF");
}

std::unique_ptr<BlockSink> create_tiff(MPI_Comm, const std::string& path, const Box&, ElementType) {
  detail::fail_to_write_without(path, "TIFF");
}

std::unique_ptr<BlockSink> create_ome_tiff(MPI_Comm, const std::string& path, const Box&, ElementType) {
  detail::fail_to_write_without(path, "TIFF");
}

}  // namespace tessera::io
