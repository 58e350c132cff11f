// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/hdf5_version.hpp"

#include <fmt/format.h>
#include <hdf5.h>

namespace tessera::io {

std::string hdf5_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace tessera::io
