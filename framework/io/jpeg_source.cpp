// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/detail/jpeg_reader.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {

void read_jpeg(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  JpegReader reader(path);
  check_unchanged(path, info, ElementType::uint8, reader.domain());
  reader.read_rows([&](std::int64_t y, std::byte* samples) {
    take_points(row_of(samples, info.type, info.domain, y), block);
  });
}

}  // namespace tessera::io::detail
