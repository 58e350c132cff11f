// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/hdf5_version.hpp"

#include <fmt/format.h>
#include <hdf5.h>

namespace tessera::io {

// HDF5 is not asked, as each of its calls changes its state, which only one thread may do at a time.
std::string hdf5_version() { return fmt::format("{}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE); }

}  // namespace tessera::io
