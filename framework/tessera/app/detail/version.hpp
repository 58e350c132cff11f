// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::app {

/// "0.1.0 (git 1a2b3c4)".
std::string version();

/// The versions of Kokkos and its backends, MPI and HDF5, a line each. Ends with a line feed.
std::string libraries_text();

/// What `--version` prints: the version of Tessera, and those lines.
std::string version_text(const std::string& program);

/// The backends that Kokkos was built with, e.g. "OpenMP, Serial".
std::string backends();

}  // namespace tessera::app
