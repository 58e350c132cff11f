// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <string>

#include "tessera/io/image_sink.hpp"

namespace tessera::io::detail {

/// Attaches the attribute to the open file or object. Collective in HDF5's sense. Throws InputError.
void write_attribute(hid_t object, const std::string& path, const FileAttribute& attribute);

/// Reads an attribute that was written so. Throws InputError about `path` when it is not there, or of another
/// kind.
std::string read_text(hid_t object, const std::string& path, const std::string& name);
std::int64_t read_integer(hid_t object, const std::string& path, const std::string& name);
double read_number(hid_t object, const std::string& path, const std::string& name);

}  // namespace tessera::io::detail
