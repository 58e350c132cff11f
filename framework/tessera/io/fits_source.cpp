// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/fits_reader.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {

void read_fits(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  FitsReader reader(path, info.dataset);
  check_unchanged(path, info, reader.type(), reader.domain());
  reader.read(block);
}

}  // namespace tessera::io::detail
