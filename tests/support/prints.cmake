# Runs a program and looks at how it ends and at what it prints, both; CTest, given a pattern, takes any exit status.
# Use: cmake -D pattern=REGEX [-D refuses=ON] -P prints.cmake -- PROGRAM ARGUMENT...; `refuses`: it must not end with 0.
# tg_add_output_test (cmake/TgTargets.cmake) makes such tests.
set(command "")
set(behind FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(behind)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(behind TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
message("${printed}")
if(refuses AND NOT status MATCHES "^[1-9][0-9]*$")
  message(FATAL_ERROR "it ended with status ${status}, where it had to refuse")
elseif(NOT refuses AND NOT status STREQUAL "0")
  message(FATAL_ERROR "it ended with status ${status}")
endif()
if(pattern STREQUAL "" OR NOT printed MATCHES "${pattern}")
  message(FATAL_ERROR "nothing that it printed matches ${pattern}")
endif()
