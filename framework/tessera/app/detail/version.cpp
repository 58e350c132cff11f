// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/version.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include "tessera/io/formats.hpp"
#include "tessera/view/compat.hpp"
#include "tessera_version.hpp"

namespace tessera::app {

std::string version() { return fmt::format("{} (git {})", generated::version, generated::git_hash); }

std::string backends() {
  std::string names;
  const auto add = [&names](const char* name) { names += (names.empty() ? "" : ", ") + std::string(name); };
#ifdef KOKKOS_ENABLE_CUDA
  add("CUDA");
#endif
#ifdef KOKKOS_ENABLE_HIP
  add("HIP");
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  add("OpenMP");
#endif
#ifdef KOKKOS_ENABLE_THREADS
  add("Threads");
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  add("Serial");
#endif
  return names;
}

std::string libraries_text() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  std::string mpi(library, static_cast<std::size_t>(length));
  mpi = mpi.substr(0, mpi.find('\n'));
  for (char& c : mpi)
    if (c == '\t') c = ' ';
  return fmt::format("Kokkos {}.{}.{} with {}\nMPI: {}\n{}\n", KOKKOS_VERSION / 10000,
                     KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100, backends(), mpi, io::formats_text());
}

std::string build_text(const ProgramBuild& build) {
  constexpr std::string_view type = generated::build_type;
  std::string text = fmt::format("build {}{}, {}", type.empty() ? "without a type" : type,
                                 build.is_optimised ? "" : ", not optimised", build.instruction_set);
  if (build.chooses_instructions) text += fmt::format(", kernels for {}", to_string(instruction_set()));
  return text;
}

std::string build_warning(const ProgramBuild& build) {
  if (build.is_optimised && this_program.is_optimised) return "";
  return fmt::format(
      "warning: {} compiled without optimisation, and runs many times slower than it could: build with "
      "-DCMAKE_BUILD_TYPE=Release",
      build.is_optimised ? "the Tessera library is" : "this program is");
}

std::string version_text(const std::string& program, const ProgramBuild& build) {
  return fmt::format("{} {}\n{}\n{}", program, version(), build_text(build), libraries_text());
}

}  // namespace tessera::app
