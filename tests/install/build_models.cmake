# Installs the library and the importer of models into an empty folder, then configures, builds and runs a project with them.
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

file(REMOVE_RECURSE ${work})
install_components(${build} ${config} ${work}/prefix tinygrad tinygrad_dev)
step(${CMAKE_COMMAND} -G ${generator} -S ${source} -B ${work}/without -D CMAKE_PREFIX_PATH=${work}/prefix
  -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=${config} -D WANTED=OPTIONAL_COMPONENTS)
if(NOT out MATCHES "models are not there")
  message(FATAL_ERROR "without the component the project was told: ${out}")
endif()
install_components(${build} ${config} ${work}/prefix tinygrad_models tinygrad_models_dev)
step(${CMAKE_COMMAND} -G ${generator} -S ${source} -B ${work}/build -D CMAKE_PREFIX_PATH=${work}/prefix
  -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=${config} -D WANTED=COMPONENTS)
step(${CMAKE_COMMAND} --build ${work}/build --config ${config})
step(${work}/build/consumer ${model})
if(NOT out STREQUAL "2 inputs, sum 120\n")
  message(FATAL_ERROR "the consumer printed '${out}'")
endif()
