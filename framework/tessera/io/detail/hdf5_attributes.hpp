// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <string>

#include "tessera/io/image_sink.hpp"

namespace tessera::io::detail {

/// Adds the attribute to an open file or to another open object of HDF5. All ranks that have opened the file
/// must make this call with the same arguments, as HDF5 requires. Throws InputError.
void write_attribute(hid_t object, const std::string& path, const FileAttribute& attribute);

/// Returns the value of a text attribute. Throws InputError about `path` when the attribute does not exist or
/// is not a text.
std::string read_text(hid_t object, const std::string& path, const std::string& name);
/// Returns the value of an integer attribute. Throws InputError about `path` when the attribute does not
/// exist or is not an integer.
std::int64_t read_integer(hid_t object, const std::string& path, const std::string& name);
/// Returns the value of a floating attribute. Throws InputError about `path` when the attribute does not
/// exist or is not a floating number.
double read_number(hid_t object, const std::string& path, const std::string& name);

}  // namespace tessera::io::detail
