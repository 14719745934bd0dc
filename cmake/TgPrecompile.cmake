# Precompiled headers: reading the standard library takes a third of the compiler's time. Each set of headers is compiled once
# and used by all targets with the same compiler options, and names no header of this project, whose change would compile
# everything again. Sources include what they use all the same: the preset clang has no precompiled headers, and fails where
# one does not.
option(TG_PRECOMPILE "Read the standard library's headers once, as precompiled headers" ${PROJECT_IS_TOP_LEVEL})
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
  set(TG_PRECOMPILE OFF)
endif()
if(TG_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Without the time in it, what is compiled with it is found in a compiler cache.
  set(TG_CLANG_PRECOMPILED "SHELL:-Xclang -fno-pch-timestamp")
endif()
if(TG_PRECOMPILE AND TG_CLANG_WORKS_IN_PROC)
  # No absolute path in an option of which a compiler cache does not know that it is a path, as CMake's own options have it: other
  # copies of the tree find what was compiled here. clang takes NAME.pch for a header NAME.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include <PCH_HEADER>)
  set(CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH -Xclang -emit-pch -Xclang -include -Xclang cmake_pch.hxx -x c++-header)
endif()

set(TG_STANDARD_HEADERS
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <map>
  <memory> <mutex> <numeric> <optional> <ostream> <set> <span> <string> <string_view> <unordered_map> <unordered_set> <utility>
  <vector> <fmt/format.h> <fmt/ranges.h>)
set(TG_MODEL_HEADERS ${TG_STANDARD_HEADERS} <nlohmann/json.hpp>)
set(TG_TOOL_HEADERS ${TG_STANDARD_HEADERS})
set(TG_TEST_HEADERS ${TG_STANDARD_HEADERS} <fstream> <random> <sstream> <thread> <gtest/gtest.h>)

# tg_precompile(TARGET SET): the headers of SET (STANDARD, MODEL, TOOL or TEST) for a target. The first target of a set compiles
# them.
function(tg_precompile target set)
  if(NOT TG_PRECOMPILE)
    return()
  endif()
  target_compile_options(${target} PRIVATE ${TG_CLANG_PRECOMPILED})
  get_property(first GLOBAL PROPERTY TG_PRECOMPILED_${set})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${TG_${set}_HEADERS})
    if(TG_CLANG_WORKS_IN_PROC)
      # Where CMake writes the header that is compiled.
      target_compile_options(${target} PRIVATE "SHELL:-iquote ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir")
    endif()
    set_property(GLOBAL PROPERTY TG_PRECOMPILED_${set} ${target})
  endif()
endfunction()
