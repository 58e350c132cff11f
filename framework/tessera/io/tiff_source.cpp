// SPDX-License-Identifier: BSD-3-Clause
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
  return {ImageFormat::tiff, reader.layout().type, reader.layout().domain, "", page};
}

}  // namespace tessera::io::detail
