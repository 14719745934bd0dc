# Prints how long the compiler needs for `#include <tg/tg.h>`, best of three, and fails only if it does not compile.
file(WRITE ${work}/include_tg.cpp "#include <tg/tg.h>\n")
set(best 1000000000)
foreach(round RANGE 1 3)
  string(TIMESTAMP begin "%s%f")
  execute_process(COMMAND ${compiler} -std=c++20 -fsyntax-only -I ${include} ${work}/include_tg.cpp
    COMMAND_ERROR_IS_FATAL ANY)
  string(TIMESTAMP end "%s%f")
  math(EXPR milliseconds "(${end} - ${begin}) / 1000")
  if(milliseconds LESS best)
    set(best ${milliseconds})
  endif()
endforeach()
message(STATUS "#include <tg/tg.h> compiles in ${best} ms")
