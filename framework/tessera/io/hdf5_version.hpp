// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io {

/// Returns the version of the HDF5 library in use, such as "1.10.8", or "none" when Tessera was built without
/// HDF5.
std::string hdf5_version();

}  // namespace tessera::io
