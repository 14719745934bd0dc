# Installs one component of the build into an empty folder, then configures, builds and runs the consumer project with it.
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

file(REMOVE_RECURSE ${work})
step(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix --component ${component} --config ${config})
foreach(file include/tg/tg.h include/tg/version.h)
  if(NOT EXISTS ${work}/prefix/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
file(GLOB_RECURSE archives ${work}/prefix/*.a)
if(kind STREQUAL "static" AND NOT archives OR kind STREQUAL "shared" AND archives)
  message(FATAL_ERROR "the ${kind} package holds these archives: '${archives}'")
endif()

set(flags "")
if(sanitize)
  set(flags "-fsanitize=${sanitize}")
endif()
step(${CMAKE_COMMAND} -G ${generator} -S ${source} -B ${work}/build
  -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_CXX_COMPILER=${compiler}
  -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_FLAGS=${flags} -D WANTED_VERSION=${version})
step(${CMAKE_COMMAND} --build ${work}/build --config ${config})
step(${work}/build/consumer)
if(NOT out STREQUAL "tinygrad ${version}\n")
  message(FATAL_ERROR "the consumer printed '${out}'")
endif()
message(STATUS "consumer with ${kind} library: ${out}")
