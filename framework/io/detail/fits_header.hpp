// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tessera::io::detail {

/// Throws InputError about the path when the header at this byte of a FITS file is that of a compressed image
/// that CFITSIO must not meet: it divides by a tile's extents unchecked, and damaged data of HCOMPRESS or
/// GZIP, where floats may be too, let it write where it should not, or never end.
void check_compressed_header(const std::string& path, std::int64_t begin);

}  // namespace tessera::io::detail
