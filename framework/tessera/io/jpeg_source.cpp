// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/jpeg_reader.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {

std::unique_ptr<RowReader> open_jpeg(const std::string& path) { return std::make_unique<JpegReader>(path); }

}  // namespace tessera::io::detail
