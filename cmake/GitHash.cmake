# SPDX-License-Identifier: BSD-3-Clause
# Run at every build: writes the version header, only when it has changed.
execute_process(COMMAND git -c safe.directory=${SOURCE_DIR} rev-parse --short=10 HEAD WORKING_DIRECTORY ${SOURCE_DIR}
                OUTPUT_VARIABLE GIT_HASH OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT GIT_HASH)
  set(GIT_HASH "unknown")
endif()
configure_file(${SOURCE_DIR}/cmake/tessera_version.hpp.in ${OUTPUT} @ONLY)
