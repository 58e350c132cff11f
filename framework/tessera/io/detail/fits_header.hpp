// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tessera::io::detail {

/// Throws InputError about the path when CFITSIO must not read the header that begins at the byte `begin` of
/// a FITS file. The reasons are faults of CFITSIO. In every header, it has too little memory for numbers with
/// many digits. In the header of a table, it uses uninitialised memory in the place of missing keywords. In
/// the header of a compressed image, it does not check the extents of a tile before it divides by them.
/// Images that are compressed by another method than RICE or PLIO, and images of floats, are rejected,
/// because damaged data of the methods HCOMPRESS and GZIP make CFITSIO write outside its memory or run
/// forever.
void check_header(const std::string& path, std::int64_t begin);

}  // namespace tessera::io::detail
