// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/png_reader.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {

std::unique_ptr<RowReader> open_png(const std::string& path) { return std::make_unique<PngReader>(path); }

}  // namespace tessera::io::detail
