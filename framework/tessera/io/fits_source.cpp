// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/detail/fits_reader.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {

const bool has_fits = true;

void read_fits(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  FitsReader reader(path, info.dataset);
  check_unchanged(path, info, reader.type(), reader.domain());
  reader.read(block);
}

ImageInfo inspect_fits(const std::string& path, const std::string& extension) {
  const FitsReader reader(path, extension);
  return {ImageFormat::fits, reader.type(), reader.domain(), std::to_string(reader.extension())};
}

}  // namespace tessera::io::detail
