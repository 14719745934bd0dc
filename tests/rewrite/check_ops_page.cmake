# Compares docs/ir.md with what the op records say now.
execute_process(COMMAND ${tool} --ops OUTPUT_VARIABLE now COMMAND_ERROR_IS_FATAL ANY)
file(READ ${page} written)
if(NOT now STREQUAL written)
  message(FATAL_ERROR "docs/ir.md is not what the op records say: run tg-opt --ops > docs/ir.md")
endif()
