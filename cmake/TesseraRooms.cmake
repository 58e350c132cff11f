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
# one, because most of the time is spent on the headers. The files of a large room are compiled in several parts, side by
# side. Rooms that handle decks, plans as texts and what programs share are compiled with -O1: they have no kernel.
function(tessera_whole_rooms target)
  set(most_files 45)
  if(target STREQUAL tessera_operators)
    set(most_files 5)  # which take as long as 45 others: each has kernels for many types
  endif()
  set(rooms_without_kernels app deck pipeline-explain pipeline-plan_file)
  tessera_rooms(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(room IN LISTS rooms)
    set(part ${room})
    while(sources_of_${room})
      list(SUBLIST sources_of_${room} 0 ${most_files} sources)
      list(REMOVE_ITEM sources_of_${room} ${sources})
      set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${part})
      if(room IN_LIST rooms_without_kernels)
        # Precompiled headers are for one level of optimisation.
        set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${part}_cxx.cxx
                                    TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>
                                    SKIP_PRECOMPILE_HEADERS ON)
      endif()
      string(APPEND part "-more")
    endwhile()
  endforeach()
endfunction()
