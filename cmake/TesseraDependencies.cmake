# SPDX-License-Identifier: BSD-3-Clause
# What Tessera stands on; included by the build and by the installed package. The options of the build decide what is
# looked for: the installed package sets them to what they were, and TESSERA_BUILD_APP_LIBRARY to OFF where only the core
# is asked for.
include(CMakeFindDependencyMacro)

# No version range: Kokkos 3 refuses one, later ones accept any newer version.
find_dependency(Kokkos 3.4)
set(MPI_CXX_SKIP_MPICXX TRUE)
find_dependency(MPI COMPONENTS CXX)
find_dependency(fmt)
# Compiled into the core, and in none of its headers.
if(NOT CMAKE_FIND_PACKAGE_NAME)
  find_dependency(nlohmann_json)
endif()
if(TESSERA_HWLOC)
  find_dependency(PkgConfig)
  pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
endif()
if(NOT TESSERA_BUILD_APP_LIBRARY)
  return()
endif()

find_dependency(yaml-cpp)
find_dependency(CLI11)
if(TESSERA_HDF5)
  find_dependency(ParallelHDF5)
endif()
if(TESSERA_PNG)
  find_dependency(PNG)
endif()
if(TESSERA_TIFF)
  find_dependency(TIFF 4.5)
endif()
if(TESSERA_JPEG)
  find_dependency(JPEG)
endif()
if(TESSERA_FITS)
  find_dependency(PkgConfig)
  pkg_check_modules(cfitsio REQUIRED IMPORTED_TARGET cfitsio)
endif()
