# SPDX-License-Identifier: BSD-3-Clause
# Finds HDF5's C library with parallel support, built for the MPI that find_package(MPI) found, as the target
# ParallelHDF5::ParallelHDF5. Looks where HDF5_ROOT or HDF5_DIR says; else for Debian's library of the MPI's name; else
# as FindHDF5 does. Sets ParallelHDF5_FOUND, ParallelHDF5_VERSION and ParallelHDF5_MPI (mpich, openmpi or unknown).
if(TARGET ParallelHDF5::ParallelHDF5)
  set(ParallelHDF5_FOUND TRUE)
  return()
endif()

include(CheckCXXSourceCompiles)
include(FindPackageHandleStandardArgs)

# Whether a program with these preprocessor lines compiles and links with the targets that follow; cached.
function(_parallel_hdf5_check result code)
  set(CMAKE_REQUIRED_LIBRARIES ${ARGN})
  set(CMAKE_REQUIRED_QUIET TRUE)
  check_cxx_source_compiles("${code}\nint main() { return 0; }" ${result})
endfunction()

# The family of the MPI found: only an HDF5 built for it speaks to the same ranks.
function(_parallel_hdf5_mpi_family result)
  _parallel_hdf5_check(ParallelHDF5_WITH_MPICH "#include <mpi.h>\n#ifndef MPICH_VERSION\n#error\n#endif" MPI::MPI_CXX)
  _parallel_hdf5_check(ParallelHDF5_WITH_OPENMPI "#include <mpi.h>\n#ifndef OPEN_MPI\n#error\n#endif" MPI::MPI_CXX)
  set(${result} unknown PARENT_SCOPE)
  if(ParallelHDF5_WITH_MPICH)
    set(${result} mpich PARENT_SCOPE)
  elseif(ParallelHDF5_WITH_OPENMPI)
    set(${result} openmpi PARENT_SCOPE)
  endif()
endfunction()

# Open MPI's header makes every user of MPI refer to its own objects, MPICH's to none.
function(_parallel_hdf5_uses_openmpi result libraries)
  set(${result} FALSE PARENT_SCOPE)
  foreach(library IN LISTS libraries)
    if(EXISTS "${library}" AND library MATCHES "hdf5" AND CMAKE_NM)
      execute_process(COMMAND ${CMAKE_NM} -D -u ${library} OUTPUT_VARIABLE symbols ERROR_QUIET)
      if(symbols MATCHES "ompi_mpi_")
        set(${result} TRUE PARENT_SCOPE)
      endif()
    endif()
  endforeach()
endfunction()

set(_reason "Install HDF5 built with MPI (Debian: libhdf5-mpich-dev, Spack: hdf5+mpi), or name it by HDF5_ROOT")
set(ParallelHDF5_INCLUDE_DIRS)
set(ParallelHDF5_LIBRARIES)
if(NOT TARGET MPI::MPI_CXX)
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(NOT TARGET MPI::MPI_CXX)
  set(_reason "No MPI was found, which parallel HDF5 needs")
else()
  _parallel_hdf5_mpi_family(ParallelHDF5_MPI)
  if(NOT (HDF5_ROOT OR HDF5_DIR OR DEFINED ENV{HDF5_ROOT}) AND NOT ParallelHDF5_MPI STREQUAL "unknown")
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(ParallelHDF5_PC QUIET hdf5-${ParallelHDF5_MPI})
    endif()
  endif()

  if(ParallelHDF5_PC_FOUND)
    # Only HDF5's own: its MPI is the one found.
    find_path(ParallelHDF5_INCLUDE_DIR hdf5.h HINTS ${ParallelHDF5_PC_INCLUDE_DIRS} NO_DEFAULT_PATH)
    find_library(ParallelHDF5_LIBRARY hdf5 HINTS ${ParallelHDF5_PC_LIBRARY_DIRS} NO_DEFAULT_PATH)
    mark_as_advanced(ParallelHDF5_INCLUDE_DIR ParallelHDF5_LIBRARY)
    set(ParallelHDF5_INCLUDE_DIRS ${ParallelHDF5_INCLUDE_DIR})
    set(ParallelHDF5_LIBRARIES ${ParallelHDF5_LIBRARY})
    set(ParallelHDF5_VERSION ${ParallelHDF5_PC_VERSION})
  else()
    enable_language(C)  # FindHDF5 tries its compiler wrappers with it
    set(HDF5_PREFER_PARALLEL TRUE)
    find_package(HDF5 QUIET COMPONENTS C)
    set(ParallelHDF5_INCLUDE_DIRS ${HDF5_C_INCLUDE_DIRS} ${HDF5_INCLUDE_DIRS})
    set(ParallelHDF5_LIBRARIES ${HDF5_C_LIBRARIES})
    set(ParallelHDF5_VERSION ${HDF5_VERSION})
  endif()
endif()

if(ParallelHDF5_INCLUDE_DIRS AND ParallelHDF5_LIBRARIES)
  add_library(ParallelHDF5::ParallelHDF5 INTERFACE IMPORTED)
  target_include_directories(ParallelHDF5::ParallelHDF5 INTERFACE ${ParallelHDF5_INCLUDE_DIRS})
  target_link_libraries(ParallelHDF5::ParallelHDF5 INTERFACE ${ParallelHDF5_LIBRARIES} MPI::MPI_CXX)
  _parallel_hdf5_check(ParallelHDF5_IS_PARALLEL "#include <hdf5.h>\n#ifndef H5_HAVE_PARALLEL\n#error\n#endif"
    ParallelHDF5::ParallelHDF5)
  _parallel_hdf5_uses_openmpi(_uses_openmpi "${ParallelHDF5_LIBRARIES}")
  if(NOT ParallelHDF5_IS_PARALLEL)
    set(_reason "${ParallelHDF5_LIBRARIES} is serial, or does not link (no H5_HAVE_PARALLEL). ${_reason}")
    set(ParallelHDF5_LIBRARIES)
  elseif(_uses_openmpi AND ParallelHDF5_MPI STREQUAL "mpich")
    set(_reason "${ParallelHDF5_LIBRARIES} is built for Open MPI, but the MPI is MPICH. ${_reason}")
    set(ParallelHDF5_LIBRARIES)
  endif()
endif()

find_package_handle_standard_args(ParallelHDF5
  REQUIRED_VARS ParallelHDF5_LIBRARIES
  VERSION_VAR ParallelHDF5_VERSION
  REASON_FAILURE_MESSAGE "${_reason}")
