# Installs the package into an empty folder, builds the example backend against it, and runs the installed conformance suite
# on it: through --backend, a quarter of it that changes by the day, for the example has each kernel compiled by cc; and, as a
# user would, through TG_BACKENDS.
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

file(REMOVE_RECURSE ${work})
install_components(${build} ${config} ${work}/prefix ${component} ${component}_dev ${component}_tools)
if(NOT EXISTS ${work}/prefix/include/tg/plugin/tg_backend.h)
  message(FATAL_ERROR "the header for backends was not installed")
endif()
step(${CMAKE_COMMAND} -G ${generator} -S ${source} -B ${work}/build -D CMAKE_PREFIX_PATH=${work}/prefix
  -D CMAKE_C_COMPILER=${c_compiler} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=${config})
step(${CMAKE_COMMAND} --build ${work}/build --config ${config})

set(suite ${work}/prefix/bin/tg-conformance)
set(plugin ${work}/build/custom_backend.so)
step(${suite} --backend ${plugin} --quick --without function. --share today/4)
if(NOT out MATCHES "CC: [0-9]+ passed, 0 failed, 0 skipped")
  message(FATAL_ERROR "the suite printed '${out}'")
endif()
message(STATUS "${out}")
step(${CMAKE_COMMAND} -E env TG_BACKENDS=${plugin} DEV=CC ${suite} --quick --filter op.add)
if(NOT out MATCHES "CC: [0-9]+ passed, 0 failed, 0 skipped")
  message(FATAL_ERROR "with TG_BACKENDS the suite printed '${out}'")
endif()
step(${CMAKE_COMMAND} -E env TG_BACKENDS=${plugin} ${work}/prefix/bin/tg devices)
if(NOT out MATCHES "CC: works here.*processor +host, 1 core.*name +CC")
  message(FATAL_ERROR "tg devices printed '${out}'")
endif()
