// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <string>

#include "tessera/io/image_sink.hpp"

namespace tessera::io::detail {

/// Attaches the attribute to the open file or object. Collective in HDF5's sense. Throws InputError.
void write_attribute(hid_t object, const std::string& path, const FileAttribute& attribute);

}  // namespace tessera::io::detail
