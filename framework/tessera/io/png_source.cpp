// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/detail/png_reader.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {

const bool has_png = true;

std::unique_ptr<RowReader> open_png(const std::string& path) { return std::make_unique<PngReader>(path); }

ImageInfo inspect_png(const std::string& path) {
  const PngReader reader(path);
  return {ImageFormat::png, reader.type(), reader.domain()};
}

}  // namespace tessera::io::detail
