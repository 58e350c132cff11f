// SPDX-License-Identifier: BSD-3-Clause
// The functions for PNG files in a build without libpng.
#include "tessera/io/comparison.hpp"
#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io {

const bool detail::has_png = false;

ImageInfo detail::inspect_png(const std::string& path) { fail_to_read_without(path, "PNG"); }

std::unique_ptr<detail::RowReader> detail::open_png(const std::string& path) {
  fail_to_read_without(path, "PNG");
}

std::unique_ptr<BlockSink> create_png(MPI_Comm, const std::string& path, const Box&, ElementType, int) {
  detail::fail_to_write_without(path, "PNG");
}

void write_comparison_png(MPI_Comm, const std::string& path, const HostBlock&, const HostBlock&, const Box&) {
  detail::fail_to_write_without(path, "PNG");
}

}  // namespace tessera::io
