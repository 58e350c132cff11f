# SPDX-License-Identifier: BSD-3-Clause
# Compiles through ccache where it is found, unless the user names a launcher. ccache compares paths below the sources
# relative to these, and not the folder of the build, so that a clone beside an older one compiles only what differs.
find_program(TESSERA_CCACHE ccache)
mark_as_advanced(TESSERA_CCACHE)
if(TESSERA_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TESSERA_CCACHE})
  # So that ccache sees which precompiled header a file was compiled with. Those of Clang name the folder that they were made
  # in, so that a clone in another one would have to compile everything.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  else()
    set(TESSERA_PRECOMPILED_HEADERS OFF)
  endif()
endif()
