# Configures the project in subproject/ in both ways, twice each (the second time with a cache), then builds and runs it in
# one of them: the library is the same. Its speed is not tested, so it is compiled in the fastest way: without
# optimisation, with precompiled headers. In other builds than the release only one layer of the library is compiled.
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

file(REMOVE_RECURSE ${work})
foreach(way add_subdirectory FetchContent)
  foreach(time RANGE 1)
    step(${CMAKE_COMMAND} -G ${generator} -S ${source} -B ${work} -D TINYGRAD_SOURCE=${root} -D WAY=${way}
      -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_C_COMPILER=${c_compiler} -D CMAKE_BUILD_TYPE=${config}
      -D CMAKE_CXX_COMPILER_LAUNCHER=${ccache} -D CMAKE_COMPILE_WARNING_AS_ERROR=${warnings}
      -D CMAKE_CXX_FLAGS_RELEASE=-O0 -D TG_PRECOMPILE=ON)
  endforeach()
  if(way STREQUAL "add_subdirectory")
    file(REMOVE_RECURSE ${work})
  endif()
endforeach()
if(NOT config STREQUAL "Release")
  step(${CMAKE_COMMAND} --build ${work} --target own tg_support --parallel)
  message(STATUS "no release build: one layer of the library was compiled, and no program")
  return()
endif()
step(${CMAKE_COMMAND} --build ${work} --target consumer --parallel)
step(${work}/consumer)
if(NOT out STREQUAL "tinygrad ${version}\n")
  message(FATAL_ERROR "the consumer printed '${out}'")
endif()

# What is installed is the project's own.
step(${CMAKE_COMMAND} --install ${work} --prefix ${work}/prefix)
file(GLOB_RECURSE installed RELATIVE ${work}/prefix ${work}/prefix/*)
if(NOT installed STREQUAL "bin/consumer")
  message(FATAL_ERROR "the project installed '${installed}'")
endif()
