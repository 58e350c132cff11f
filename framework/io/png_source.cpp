// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/detail/png_reader.hpp"
#include "tessera/io/detail/png_samples.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {

void read_png(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  PngReader reader(path);
  check_unchanged(path, info, sample_type(reader.layout()), domain_of(reader.layout()));
  reader.read_rows([&](std::int64_t y, std::byte* samples) {
    take_points(row_of(samples, info.type, info.domain, y), block);
  });
}

}  // namespace tessera::io::detail
