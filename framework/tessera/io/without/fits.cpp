// SPDX-License-Identifier: BSD-3-Clause
// The functions for FITS files in a build without CFITSIO.
#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {

const bool has_fits = false;

ImageInfo inspect_fits(const std::string& path, const std::string&) { fail_to_read_without(path, "FITS"); }

void read_fits(const std::string& path, const ImageInfo&, const HostBlock&) {
  fail_to_read_without(path, "FITS");
}

}  // namespace tessera::io::detail
