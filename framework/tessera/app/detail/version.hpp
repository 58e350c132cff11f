// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/app/program_build.hpp"

namespace tessera::app {

/// Returns the version of Tessera, such as "0.1.0 (git 1a2b3c4)".
std::string version();

/// Returns a line with the version of each library: Kokkos and its backends, MPI and HDF5. The text ends with
/// a line feed.
std::string libraries_text();

/// Returns the build type of the library and the instructions for which the program is compiled, such as
/// "build Release, x86-64-v4 (AVX-512)".
std::string build_text(const ProgramBuild& build);

/// Returns a warning when the program or the library is compiled without optimisation, else an empty text.
std::string build_warning(const ProgramBuild& build);

/// Returns the text of --version: the version of Tessera, the build, and the libraries.
std::string version_text(const std::string& program, const ProgramBuild& build);

/// Returns the backends with which Kokkos was built, such as "OpenMP, Serial".
std::string backends();

}  // namespace tessera::app
