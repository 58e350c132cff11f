// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io {

/// Returns the version of HDF5 that Tessera was compiled with, such as "1.10.8", or "none" when Tessera was
/// built without HDF5. Any thread may call it at any time. HDF5 itself refuses to work as a library of
/// another version.
std::string hdf5_version();

}  // namespace tessera::io
