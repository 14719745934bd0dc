# step(COMMAND...): runs it, ends with its output if it fails, and leaves the output in `out`.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGN}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

# install_components(BUILD CONFIG PREFIX COMPONENTS...): those of a build, into a folder.
function(install_components build config prefix)
  foreach(name ${ARGN})
    step(${CMAKE_COMMAND} --install ${build} --prefix ${prefix} --component ${name} --config ${config})
  endforeach()
endfunction()
