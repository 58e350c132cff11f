# SPDX-License-Identifier: BSD-3-Clause
# What Tessera stands on; included by the build and by the installed package.
include(CMakeFindDependencyMacro)

# No version range: Kokkos 3 refuses one, later ones accept any newer version.
find_dependency(Kokkos 3.4)
set(MPI_CXX_SKIP_MPICXX TRUE)
find_dependency(MPI COMPONENTS CXX)
find_dependency(ParallelHDF5)
find_dependency(PNG)
find_dependency(TIFF 4.5)
find_dependency(JPEG)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(yaml-cpp)
find_dependency(CLI11)
find_dependency(PkgConfig)
pkg_check_modules(cfitsio REQUIRED IMPORTED_TARGET cfitsio)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
