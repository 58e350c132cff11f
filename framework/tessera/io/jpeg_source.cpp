// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/detail/jpeg_reader.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {

const bool has_jpeg = true;

std::unique_ptr<RowReader> open_jpeg(const std::string& path) { return std::make_unique<JpegReader>(path); }

ImageInfo inspect_jpeg(const std::string& path) {
  return {ImageFormat::jpeg, ElementType::uint8, JpegReader(path).domain()};
}

}  // namespace tessera::io::detail
