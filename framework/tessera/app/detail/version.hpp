// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/app/program_build.hpp"

namespace tessera::app {

/// Returns the version of Tessera with its git hash, such as "0.2.0 (git 1a2b3c4)".
std::string version();

/// Returns three lines about libraries: the version of Kokkos with its backends, the MPI library, and the
/// file formats that this build supports. The text ends with a line feed.
std::string libraries_text();

/// Returns the build type of the Tessera library and the instruction set for which the program was compiled,
/// such as "build Release, x86-64-v4 (AVX-512)".
std::string build_text(const ProgramBuild& build);

/// Returns a warning if the program or the Tessera library was compiled without optimisation. Otherwise
/// returns an empty text.
std::string build_warning(const ProgramBuild& build);

/// Returns the text that the option --version prints: the name of the program, the version of Tessera, the
/// build and the libraries.
std::string version_text(const std::string& program, const ProgramBuild& build);

/// Returns the backends with which Kokkos was built, such as "OpenMP, Serial".
std::string backends();

}  // namespace tessera::app
