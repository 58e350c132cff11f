# SPDX-License-Identifier: BSD-3-Clause
# One source file for each room of the framework, which includes all source files of the room: scripts/tidy gives these to
# clang-tidy, which spends most of its time on the headers. They are never compiled.

include(TesseraRooms)

# tessera_tidy(target): makes them of the sources of a library.
function(tessera_tidy target)
  tessera_rooms(${target})
  foreach(room IN LISTS rooms)
    list(TRANSFORM sources_of_${room} REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE text)
    list(JOIN text "" text)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/tidy/${room}.cpp CONTENT "${text}")
    list(APPEND files ${PROJECT_BINARY_DIR}/tidy/${room}.cpp)
  endforeach()
  add_library(${target}_tidy OBJECT EXCLUDE_FROM_ALL ${files})
  set_target_properties(${target}_tidy PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target}_tidy PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${target}_tidy PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_compile_options(${target}_tidy PRIVATE $<TARGET_PROPERTY:${target},COMPILE_OPTIONS>)
  target_compile_features(${target}_tidy PRIVATE cxx_std_20)
  target_link_libraries(${target}_tidy PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
  if(TESSERA_PRECOMPILED_HEADERS)
    target_precompile_headers(${target}_tidy REUSE_FROM tessera_core)
  endif()
endfunction()
