// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/app/program_build.hpp"

namespace tessera::app {

/// "0.1.0 (git 1a2b3c4)".
std::string version();

/// The versions of Kokkos and its backends, MPI and HDF5, a line each. Ends with a line feed.
std::string libraries_text();

/// "build Release, x86-64-v4 (AVX-512)": the build type of the library, and what the program is compiled for.
std::string build_text(const ProgramBuild& build);

/// A line about a program, or a library, that is compiled without optimisation; empty when both have it.
std::string build_warning(const ProgramBuild& build);

/// What `--version` prints: the version of Tessera, the build, and the libraries.
std::string version_text(const std::string& program, const ProgramBuild& build);

/// The backends that Kokkos was built with, e.g. "OpenMP, Serial".
std::string backends();

}  // namespace tessera::app
