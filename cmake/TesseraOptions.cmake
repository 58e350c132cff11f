# SPDX-License-Identifier: BSD-3-Clause
# Flags of this build only; what users of the headers need is on the target tessera. `tessera_private_flags`: our
# warnings.

add_library(tessera_private_flags INTERFACE)
target_compile_options(tessera_private_flags INTERFACE -Wall -Wextra -Wpedantic)

if(TESSERA_ARCHITECTURE)
  add_compile_options(-march=${TESSERA_ARCHITECTURE})
endif()
if(TESSERA_SANITIZE)
  add_compile_options(-fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TESSERA_SANITIZE})
endif()
