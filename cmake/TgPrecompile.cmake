# Precompiled headers: reading the standard library takes a third of the compiler's time. Each set of headers is compiled once
# and used by all targets with the same compiler options, and names no header of this project, whose change would compile
# everything again. Sources include what they use all the same: builds by clang (the preset) have no precompiled headers, and
# fail where one does not.
option(TG_PRECOMPILE "Read the standard library's headers once, as precompiled headers" ${PROJECT_IS_TOP_LEVEL})
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(TG_PRECOMPILE OFF)
endif()

set(TG_STANDARD_HEADERS
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <map>
  <memory> <mutex> <numeric> <optional> <ostream> <set> <span> <string> <string_view> <unordered_map> <unordered_set> <utility>
  <vector> <fmt/format.h> <fmt/ranges.h>)
set(TG_TOOL_HEADERS ${TG_STANDARD_HEADERS})
set(TG_TEST_HEADERS ${TG_STANDARD_HEADERS} <fstream> <random> <sstream> <thread> <gtest/gtest.h>)

# tg_precompile(TARGET SET): the headers of SET (STANDARD, TOOL or TEST) for a target. The first target of a set compiles them.
function(tg_precompile target set)
  if(NOT TG_PRECOMPILE)
    return()
  endif()
  get_property(first GLOBAL PROPERTY TG_PRECOMPILED_${set})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${TG_${set}_HEADERS})
    set_property(GLOBAL PROPERTY TG_PRECOMPILED_${set} ${target})
  endif()
endfunction()
