// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tessera::io::detail {

/// Throws InputError about the path when the header at this byte of a FITS file is one that CFITSIO must not
/// meet. Of any kind: it has no room for numbers of many digits. Of a table: it takes what is in its memory
/// for keywords that are missing. Of a compressed image: it divides by a tile's extents unchecked, and
/// damaged data of HCOMPRESS or GZIP, where floats may be too, let it write where it should not, or never
/// end.
void check_header(const std::string& path, std::int64_t begin);

}  // namespace tessera::io::detail
