# SPDX-License-Identifier: BSD-3-Clause
# Included by the build and by the installed package: a project that names no build type would be compiled without any
# optimisation, and stages would take tens of times as long.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  message(STATUS "Tessera: no build type was named, so CMAKE_BUILD_TYPE is set to Release")
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
