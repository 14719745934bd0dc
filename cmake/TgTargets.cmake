# The functions from which every folder's CMakeLists.txt is built: layers, the library that they make up, tests.

# Warnings of all our code. gcc also reports paths that cannot happen: guesses of its optimiser inside std::string and
# std::vector (gcc bugs 105651, 105329). They are no errors, and where headers are precompiled, whose text counts as the
# file's own, they are not printed: clang's build of the same files stays without a warning.
set(TG_WARNINGS -Wall -Wextra -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND TG_WARNINGS -Wno-restrict)
  foreach(guess array-bounds free-nonheap-object maybe-uninitialized stringop-overflow stringop-overread)
    if(TG_PRECOMPILE)
      list(APPEND TG_WARNINGS -Wno-${guess})
    else()
      list(APPEND TG_WARNINGS -Wno-error=${guess})
    endif()
  endforeach()
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # libstdc++ 12's own stable_sort calls a function that it declares deprecated; gcc keeps that to itself.
  list(APPEND TG_WARNINGS -Wno-deprecated-declarations)
endif()

# tg_compile_together(TARGET BATCH): its sources BATCH at a time, with the option TG_UNITY.
function(tg_compile_together target batch)
  if(NOT TG_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage) # of types that a source keeps to itself
  endif()
endfunction()

# tg_optimise_less(TARGET): for tests, tools and examples, which spend their time in the library. A third of their compile time.
function(tg_optimise_less target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-O1>)
  if(TG_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# tg_add_layer(NAME SOURCES a.cpp ... [DEPENDS lower layers ...] [PRIVATE_LIBS libs ...])
# One static library tg_NAME a layer, for tests and tools that look inside; `tinygrad` is made of the objects of all layers.
function(tg_add_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_LIBS" ${ARGN})
  add_library(tg_${name} STATIC ${ARG_SOURCES})
  target_include_directories(tg_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(tg_${name} PRIVATE TG_BUILDING)
  target_compile_options(tg_${name} PRIVATE ${TG_WARNINGS})
  tg_precompile(tg_${name} STANDARD)
  tg_compile_together(tg_${name} 8)
  if(WIN32)
    target_compile_definitions(tg_${name} INTERFACE TINYGRAD_STATIC)
  endif()
  foreach(dep ${ARG_DEPENDS})
    target_link_libraries(tg_${name} PUBLIC tg_${dep})
  endforeach()
  target_link_libraries(tg_${name} PUBLIC fmt::fmt Threads::Threads PRIVATE ${ARG_PRIVATE_LIBS})
  set_property(GLOBAL APPEND PROPERTY TG_LAYERS ${name})
  set_property(GLOBAL APPEND PROPERTY TG_LAYER_LIBS ${ARG_PRIVATE_LIBS})
endfunction()

# tg_link_all_layers(TARGET): links the layers added so far, for programs that look inside the library.
function(tg_link_all_layers target)
  get_property(layers GLOBAL PROPERTY TG_LAYERS)
  list(TRANSFORM layers PREPEND tg_)
  target_link_libraries(${target} PUBLIC ${layers})
endfunction()

# tg_add_library(NAME [STATIC|SHARED] [FMT target])
# The library made of the objects of all layers added so far; FMT stands in for fmt::fmt at the link. Public headers are the file set HEADERS; each is checked to
# compile alone by the target all_verify_interface_header_sets.
function(tg_add_library name)
  cmake_parse_arguments(ARG "" "FMT" "" ${ARGN})
  if(NOT ARG_FMT)
    set(ARG_FMT fmt::fmt)
  endif()
  get_property(layers GLOBAL PROPERTY TG_LAYERS)
  get_property(libs GLOBAL PROPERTY TG_LAYER_LIBS)
  list(REMOVE_DUPLICATES libs)
  list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:tg_\\1>" OUTPUT_VARIABLE objects)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tg/*.h)
  list(FILTER headers EXCLUDE REGEX "/include/tg/(models/|c/tg_models)") # of tinygrad_models

  add_library(${name} ${ARG_UNPARSED_ARGUMENTS} ${objects})
  target_sources(${name} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PRIVATE ${ARG_FMT} Threads::Threads ${libs})
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX
    OUTPUT_NAME tinygrad
    EXPORT_NAME tinygrad
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
  get_target_property(type ${name} TYPE)
  if(WIN32 AND type STREQUAL "STATIC_LIBRARY")
    target_compile_definitions(${name} INTERFACE TINYGRAD_STATIC)
  endif()
  if(type STREQUAL "SHARED_LIBRARY" AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    # Symbols carry the version and calls inside bind to this library: two versions live in one process side by side.
    set(map ${PROJECT_BINARY_DIR}/${name}.map)
    file(CONFIGURE OUTPUT ${map} @ONLY
      CONTENT "TINYGRAD_@PROJECT_VERSION_MAJOR@.@PROJECT_VERSION_MINOR@ { global: *; };\n")
    target_link_options(${name} PRIVATE LINKER:--version-script=${map} LINKER:-Bsymbolic-functions)
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${map})
  endif()
endfunction()

# tg_add_models_library(NAME CORE): the importers of src/frontend as a library beside CORE, of the same kind. It uses nothing of
# CORE but what that exports.
function(tg_add_models_library name core)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tg/models/*.h)
  list(APPEND headers ${PROJECT_SOURCE_DIR}/include/tg/c/tg_models.h)
  add_library(${name} $<TARGET_OBJECTS:tg_frontend> $<TARGET_OBJECTS:tg_tokenizer_messages> $<TARGET_OBJECTS:tg_onnx>
    $<TARGET_OBJECTS:tg_onnx_messages> $<TARGET_OBJECTS:tg_onnx_capi> $<TARGET_OBJECTS:tg_text_capi>)
  target_sources(${name} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
  target_link_libraries(${name} PUBLIC ${core} PRIVATE fmt::fmt protobuf::libprotobuf-lite ICU::uc ICU::i18n
    PNG::PNG JPEG::JPEG PkgConfig::SNDFILE ZLIB::ZLIB)
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX
    EXPORT_NAME models
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
endfunction()

# tg_add_folder(FOLDER OPTION): adds a folder that has a CMakeLists.txt when the option is on.
function(tg_add_folder folder option)
  if(${option} AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endfunction()

# tg_add_test(NAME SOURCES a_test.cpp ... LAYERS layers ... [LABELS quick thread ...] [PRIVATE_LIBS libs ...]
#             [THREAD_CASES filter] [DAILY])
# One executable, whose cases tg_add_cases hands to CTest. The target tests_LABEL builds all executables of a label, so that a
# sanitizer build compiles only what it runs. After every case live nodes and device memory must be what they were before it:
# tests/support/live_check.cpp. Of an executable where few cases use several threads, THREAD_CASES names those (a filter of
# GoogleTest): under ThreadSanitizer only they run. DAILY is for what takes long and whose subject other tests cover as well:
# scripts/test runs one of its processes a day.
function(tg_add_test name)
  cmake_parse_arguments(ARG "DAILY" "THREAD_CASES" "SOURCES;LAYERS;LABELS;PRIVATE_LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  foreach(layer ${ARG_LAYERS})
    target_link_libraries(${name} PRIVATE tg_${layer})
  endforeach()
  target_link_libraries(${name} PRIVATE tg_live_check GTest::gtest_main fmt::fmt ${ARG_PRIVATE_LIBS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(${name} PRIVATE ${TG_WARNINGS})
  tg_optimise_less(${name})
  tg_precompile(${name} TEST)
  # Four at a time, so that a change of one test does not compile a dozen.
  tg_compile_together(${name} 4)
  foreach(label ${ARG_LABELS})
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${name})
  endforeach()
  set(filter "*")
  if(TG_SANITIZE STREQUAL "thread" AND ARG_THREAD_CASES)
    set(filter "${ARG_THREAD_CASES}")
  endif()
  tg_add_cases(${name} ${name} "${filter}" "" "${ARG_LABELS}" ${ARG_DAILY})
endfunction()

# tg_add_output_test(NAME PATTERN [REFUSES] COMMAND program argument ...): a program that must end with 0 (REFUSES: with another
# status) and print what matches the regular expression. The program is a target or a path.
function(tg_add_output_test name pattern)
  cmake_parse_arguments(ARG "REFUSES" "" "COMMAND" ${ARGN})
  list(POP_FRONT ARG_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -D "pattern=${pattern}" -D refuses=${ARG_REFUSES}
    -P ${PROJECT_SOURCE_DIR}/tests/support/prints.cmake -- ${program} ${ARG_COMMAND})
endfunction()

# tg_repeat_test(NAME VARIANT FILTER VARIABLES [LABELS ...] [SHARDS n] [DAILY]): the cases of NAME that match FILTER once more, as
# NAME.VARIANT.suite.case, with these environment variables. With SHARDS so many processes share them in every build.
function(tg_repeat_test name variant filter variables)
  cmake_parse_arguments(ARG "DAILY" "SHARDS" "LABELS" ${ARGN})
  if(ARG_SHARDS)
    set(TG_TEST_SHARDS ${ARG_SHARDS}) # for the function below alone
  endif()
  tg_add_cases(${name} ${name}.${variant} "${filter}" "${variables}" "${ARG_LABELS}" ${ARG_DAILY})
endfunction()

# The cases of an executable that match a filter. Every one is a process and a CTest case, PREFIX.suite.case; or, where
# TG_TEST_SHARDS is a number, as many processes share them, PREFIX.shard_1 and so on (if daily is true PREFIX.day_1), and each
# writes what it ran to a report. scripts/test counts cases either way.
function(tg_add_cases name prefix filter variables labels daily)
  set(process shard)
  if(daily)
    set(process day)
  endif()
  if(TG_TEST_SHARDS)
    math(EXPR last "${TG_TEST_SHARDS} - 1")
    foreach(shard RANGE ${last})
      math(EXPR number "${shard} + 1")
      set(case ${prefix}.${process}_${number})
      add_test(NAME ${case} COMMAND ${name} --gtest_brief=1 --gtest_filter=${filter}
        --gtest_output=xml:${PROJECT_BINARY_DIR}/test-reports/${case}.xml)
      set_tests_properties(${case} PROPERTIES LABELS "${labels}" TIMEOUT 900
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${TG_TEST_SHARDS};GTEST_SHARD_INDEX=${shard};${variables}")
    endforeach()
    return()
  endif()
  set(properties TIMEOUT 600)
  if(variables)
    list(APPEND properties ENVIRONMENT "${variables}")
  endif()
  string(REPLACE . _ cases ${prefix}_cases)
  gtest_discover_tests(${name} TEST_PREFIX "${prefix}." TEST_FILTER "${filter}" DISCOVERY_TIMEOUT 120
    NO_PRETTY_VALUES
    TEST_LIST ${cases} PROPERTIES ${properties})
  # Several labels do not survive gtest_discover_tests, so CTest reads them from a file of their own.
  set(labels_file ${CMAKE_CURRENT_BINARY_DIR}/${cases}_labels.cmake)
  file(CONFIGURE OUTPUT ${labels_file} @ONLY CONTENT [[
foreach(case IN LISTS @cases@)
  set_tests_properties("${case}" PROPERTIES LABELS "@labels@")
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels_file})
endfunction()
