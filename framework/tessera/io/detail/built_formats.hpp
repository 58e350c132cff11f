// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io::detail {

// True for each format whose library this Tessera was built with. The sources of the format define it, and
// io/without/<format>.cpp in their place.
extern const bool has_hdf5;
extern const bool has_png;
extern const bool has_tiff;
extern const bool has_jpeg;
extern const bool has_fits;

/// Throws InputError that the file at `path` cannot be read, as Tessera was built without its format: "PNG",
/// for instance, which is the end of its CMake option's name, too.
[[noreturn]] void fail_to_read_without(const std::string& path, const std::string& format);

/// Throws InputError that the file at `path` cannot be written, as Tessera was built without its format.
[[noreturn]] void fail_to_write_without(const std::string& path, const std::string& format);

}  // namespace tessera::io::detail
