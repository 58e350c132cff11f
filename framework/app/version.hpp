// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::app {

/// "0.1.0 (git 1a2b3c4)".
std::string version();

/// What `--version` prints: the versions of Tessera, Kokkos and its backends, MPI and HDF5. Ends with a line
/// feed.
std::string version_text(const std::string& program);

/// The backends that Kokkos was built with, e.g. "OpenMP, Serial".
std::string backends();

}  // namespace tessera::app
