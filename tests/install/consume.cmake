# SPDX-License-Identifier: BSD-3-Clause
# Configures, builds and runs the project in consumer/. With WAY=installed, Tessera is installed from TESSERA_BUILD
# first, and found with find_package, and the project is run. With WAY=core only the component `library` is installed, and
# the project asks for the component `core`. With WAY=libraries the project asks for the components `operators` and
# `spectral`, and its program uses both. With WAY=subdirectory Tessera is taken in from TESSERA_SOURCE, and the project's
# own code is compiled: what it is linked with is what the build around this test has compiled.
cmake_minimum_required(VERSION 3.25)

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
endfunction()

function(expect_file path)
  if(NOT EXISTS ${path})
    message(FATAL_ERROR "${path} is missing")
  endif()
endfunction()

# Installed programs find the installed decks from any folder, by the names that the manual has.
function(check_installed_decks prefix)
  file(MAKE_DIRECTORY ${WORK}/elsewhere)
  step(${prefix}/bin/tessera-generate inputs/generate/default.yaml output.file=sky.h5 width=64 height=48
       WORKING_DIRECTORY ${WORK}/elsewhere)
  step(${prefix}/bin/tessera-blur inputs/blur/default.yaml input.file=sky.h5 output.file=blurred.h5
       WORKING_DIRECTORY ${WORK}/elsewhere)
  expect_file(${WORK}/elsewhere/blurred.h5)
  if(EXISTS ${prefix}/bin/tessera-bench)
    step(${prefix}/bin/tessera-bench --only blur --sizes 64x64 --repetitions 3 WORKING_DIRECTORY ${WORK}/elsewhere)
  endif()
endfunction()

# What an installation must hold, and must not.
function(check_installation prefix)
  expect_file(${prefix}/include/tessera/pipeline/algorithm/pipeline.hpp)
  expect_file(${prefix}/include/tessera/app/pipeline_application.hpp)
  file(GLOB_RECURSE surplus ${prefix}/include/*.cpp ${prefix}/include/*/detail/* ${prefix}/include/*/CMakeLists.txt)
  if(surplus)
    message(FATAL_ERROR "installed, but no public headers: ${surplus}")
  endif()
  file(GLOB_RECURSE targets ${prefix}/*/TesseraCoreTargets.cmake)
  file(READ ${targets} text)
  string(FIND "${text}" -fno-math-errno flag)
  string(FIND "${text}" TESSERA_CHECKS checked)
  if(flag EQUAL -1 OR (CHECKS AND checked EQUAL -1) OR (NOT CHECKS AND NOT checked EQUAL -1))
    message(FATAL_ERROR "not what users of this build need:\n${text}")
  endif()
  if(APPS)
    step(${prefix}/bin/tessera-blur --version)
    check_installed_decks(${prefix})
  endif()
endfunction()

# A project that names no build type is compiled with optimisation.
function(check_build_type)
  file(STRINGS ${WORK}/build/CMakeCache.txt line REGEX "^CMAKE_BUILD_TYPE:")
  if(NOT line MATCHES "=Release$")
    message(FATAL_ERROR "a project that named no build type got: ${line}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
# The user names neither an include folder nor a flag: only where Tessera is.
set(options -DCMAKE_CXX_COMPILER=${CXX})
if(WAY STREQUAL installed)
  step(${CMAKE_COMMAND} --install ${TESSERA_BUILD} --prefix ${WORK}/prefix)
  check_installation(${WORK}/prefix)
  list(APPEND options -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DTessera_ROOT=${WORK}/prefix)
elseif(WAY STREQUAL core OR WAY STREQUAL libraries)
  step(${CMAKE_COMMAND} --install ${TESSERA_BUILD} --component library --prefix ${WORK}/prefix)
  if(EXISTS ${WORK}/prefix/bin)
    message(FATAL_ERROR "the component library has programs")
  endif()
  set(components core)
  if(WAY STREQUAL libraries)
    set(components operators,spectral)
  endif()
  list(APPEND options -DTessera_ROOT=${WORK}/prefix -DTESSERA_COMPONENTS=${components})
else()
  list(APPEND options -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DTESSERA_SOURCE=${TESSERA_SOURCE}
       -DKokkos_DIR=${KOKKOS})
endif()
step(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK}/build ${options})
if(WAY STREQUAL core)
  check_build_type()
endif()
if(NOT WAY STREQUAL subdirectory)
  step(${CMAKE_COMMAND} --build ${WORK}/build)
  step(${WORK}/build/consumer)
else()
  step(${CMAKE_COMMAND} --build ${WORK}/build --target CMakeFiles/consumer.dir/main.cpp.o)
endif()
