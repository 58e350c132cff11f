// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io {

/// Returns one line of text, without a line feed, with the formats of files that this build of Tessera has
/// and then those that it lacks: for instance "formats: HDF5 1.10.8, PNG, TIFF, JPEG, without FITS". Raw and
/// RLE files, which need no library, are not named. The order is always the same.
std::string formats_text();

}  // namespace tessera::io
