// SPDX-License-Identifier: BSD-3-Clause
// The functions for JPEG files in a build without libjpeg.
#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {

const bool has_jpeg = false;

ImageInfo inspect_jpeg(const std::string& path) { fail_to_read_without(path, "JPEG"); }

std::unique_ptr<RowReader> open_jpeg(const std::string& path) { fail_to_read_without(path, "JPEG"); }

}  // namespace tessera::io::detail
