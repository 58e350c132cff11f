# SPDX-License-Identifier: BSD-3-Clause
# Flags of this build only; what users of the headers need is on the target tessera. `tessera_private_flags`: our
# warnings.

add_library(tessera_private_flags INTERFACE)
target_compile_options(tessera_private_flags INTERFACE -Wall -Wextra -Wpedantic)

# Compilers take half of the vectors' width for some processors, for the sake of programs that compute little. Whoever
# names a width has it.
include(CheckCXXCompilerFlag)
set(TESSERA_WIDEST_VECTORS "")
check_cxx_compiler_flag(-mprefer-vector-width=512 TESSERA_HAS_VECTOR_WIDTH)
if(TESSERA_HAS_VECTOR_WIDTH AND NOT CMAKE_CXX_FLAGS MATCHES "-mprefer-vector-width")
  set(TESSERA_WIDEST_VECTORS -mprefer-vector-width=512)
endif()

if(TESSERA_ARCHITECTURE)
  add_compile_options(-march=${TESSERA_ARCHITECTURE} ${TESSERA_WIDEST_VECTORS})
endif()
# Compilers of device code cannot read them.
if("CUDA" IN_LIST Kokkos_DEVICES OR "HIP" IN_LIST Kokkos_DEVICES)
  set(TESSERA_PRECOMPILED_HEADERS OFF)
endif()
if(TESSERA_SANITIZE)
  # Images may hold NaN, and bodies may cast it: Clang counts that as undefined, g++ does not. The address sanitizer also ends
  # programs that use null pointers or leave objects, and the checks of these two take a quarter of the time of compiling.
  add_compile_options(-fsanitize=${TESSERA_SANITIZE} -fno-sanitize=float-cast-overflow,null,object-size
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TESSERA_SANITIZE})
endif()
