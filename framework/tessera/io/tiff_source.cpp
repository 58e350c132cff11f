// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/io/detail/tiff_reader.hpp"

namespace tessera::io::detail {

const bool has_tiff = true;

void read_tiff(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  TiffReader reader(path, info.page);
  check_unchanged(path, info, reader.layout().type, reader.layout().domain);
  reader.read(block);
}

ImageInfo inspect_tiff(const std::string& path, int page) {
  const TiffReader reader(path, page);
  const TiffLayout& layout = reader.layout();
  ImageInfo info{ImageFormat::tiff, layout.type, layout.domain, "", page};
  info.chunk_rows = std::min(layout.chunk_height, layout.domain[1].size());
  return info;
}

}  // namespace tessera::io::detail
