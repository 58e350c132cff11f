# SPDX-License-Identifier: BSD-3-Clause
# What applications and benchmarks include is compiled once for all of them: Kokkos and the templates of stages take some
# three seconds per source file.
if(TESSERA_PRECOMPILED_HEADERS)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/program_headers.cpp CONTENT "")
  add_library(tessera_program_headers STATIC EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/generated/program_headers.cpp)
  target_link_libraries(tessera_program_headers PRIVATE Tessera::tessera tessera_private_flags)
  target_precompile_headers(tessera_program_headers PRIVATE <tessera/app/image_application.hpp>)
endif()

# tessera_reuse_headers(target): it is compiled with them. Its options must be those of the applications.
function(tessera_reuse_headers target)
  if(TESSERA_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM tessera_program_headers)
  endif()
endfunction()
