// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/detail/pyramid_writer.hpp"
#include "tessera/io/detail/row_sink.hpp"
#include "tessera/io/detail/tiff_writer.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io {

using namespace detail;

std::unique_ptr<BlockSink> create_tiff(MPI_Comm communicator, const std::string& path, const Box& domain,
                                       ElementType type) {
  if (is_complex(type))
    fail(path, fmt::format("TIFF is written with real numbers, not {}", name_of(type)), "write HDF5 instead");
  if (!is_writable_image(domain))
    fail(path, fmt::format("TIFF is written with 1, 3 or 4 channels, not {}", to_string(domain)),
         "write HDF5 instead");
  check_rows(path, "TIFF", domain, type);
  return std::make_unique<RowSink>(communicator, path, domain, type,
                                   [domain, type](const UnfinishedFile& file) {
                                     return std::make_unique<TiffWriter>(file, domain, type);
                                   });
}

std::unique_ptr<BlockSink> create_ome_tiff(MPI_Comm communicator, const std::string& path, const Box& domain,
                                           ElementType type) {
  if (!is_writable_image(domain))
    fail(path, fmt::format("OME-TIFF is written with 1, 3 or 4 channels, not {}", to_string(domain)),
         "write HDF5 instead");
  if (ome_type(type).empty())
    fail(path, fmt::format("OME-TIFF has no {}", name_of(type)),
         is_complex(type) ? "write HDF5 instead" : "write TIFF or HDF5 instead");
  check_rows(path, "OME-TIFF", domain, type);
  return std::make_unique<RowSink>(communicator, path, domain, type,
                                   [domain, type](const UnfinishedFile& file) {
                                     return std::make_unique<PyramidWriter>(file, domain, type);
                                   });
}

}  // namespace tessera::io
