// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tessera/io/detail/rle_writer.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io {

using namespace detail;

std::unique_ptr<BlockSink> create_rle(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type) {
  if (type != ElementType::uint8 || domain.dimensions != 2 || domain.empty())
    fail(path,
         fmt::format("RLE holds cells of uint8 in (x, y), not {} of {}", to_string(domain), name_of(type)),
         "write HDF5 instead");
  check_rows(path, "RLE", domain, type);
  return std::make_unique<RowSink>(communicator, path, domain, type, [domain](const UnfinishedFile& file) {
    return std::make_unique<RleWriter>(file, domain);
  });
}

}  // namespace tessera::io
