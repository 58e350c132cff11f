# SPDX-License-Identifier: BSD-3-Clause
# tessera_rooms(target): the folders below framework/tessera in which a library has its source files, with '-' for '/' and
# without `detail`, as the list `rooms`, and the source files of each room as `sources_of_<room>`.
function(tessera_rooms target)
  get_target_property(sources ${target} SOURCES)
  set(rooms "")
  foreach(source IN LISTS sources)
    if(source MATCHES "^${PROJECT_SOURCE_DIR}/framework/tessera/(.+)/[^/]+\\.cpp$")
      string(REGEX REPLACE "/detail$" "" room ${CMAKE_MATCH_1})
      string(REPLACE "/" "-" room ${room})
      list(APPEND rooms ${room})
      list(APPEND sources_of_${room} ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  foreach(room IN LISTS rooms)
    set(sources_of_${room} ${sources_of_${room}} PARENT_SCOPE)
  endforeach()
  set(rooms ${rooms} PARENT_SCOPE)
endfunction()

# tessera_whole_rooms(target): all source files of a room are compiled as one. This is faster than compiling them one by
# one, because most of the time is spent on the headers.
function(tessera_whole_rooms target)
  tessera_rooms(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(room IN LISTS rooms)
    set_source_files_properties(${sources_of_${room}} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${room})
  endforeach()
endfunction()
