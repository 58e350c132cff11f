// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io::detail {

// Whether this Tessera was built with the library of each format. A source file of the format defines the
// constant as true. In a build without the library, io/without/<format>.cpp defines the constant as false.
extern const bool has_hdf5;
extern const bool has_png;
extern const bool has_tiff;
extern const bool has_jpeg;
extern const bool has_fits;
extern const bool has_video;

/// Throws InputError which says that the file at `path` cannot be read, because Tessera was built without
/// `format`. `format` is also the end of the name of the CMake option, for example "PNG" in TESSERA_PNG.
[[noreturn]] void fail_to_read_without(const std::string& path, const std::string& format);

/// Throws InputError which says that the file at `path` cannot be written, because Tessera was built without
/// `format`. `format` is also the end of the name of the CMake option, for example "PNG" in TESSERA_PNG.
[[noreturn]] void fail_to_write_without(const std::string& path, const std::string& format);

}  // namespace tessera::io::detail
