// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io {

/// Returns one line of text, without a line feed, that lists file formats: first those that this build of
/// Tessera supports, then, after "without", those that it does not support. An example is "formats: HDF5
/// 1.10.8, PNG, TIFF, JPEG, VIDEO, without FITS". Raw and RLE files need no library and are not listed. The
/// order of the formats is always the same.
std::string formats_text();

}  // namespace tessera::io
