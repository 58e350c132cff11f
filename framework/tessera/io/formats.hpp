// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io {

/// Returns the formats of files that this Tessera was built with, and then those that it was built without,
/// as one line without a line feed: "formats: HDF5 1.10.8, PNG, TIFF, JPEG, without FITS", for instance. Raw
/// and RLE files, which need no library, are not named. The order is always the same.
std::string formats_text();

}  // namespace tessera::io
