# The version stands in CMakeLists.txt; the library, the wheel and the manifest take it from there. Registries of other
# languages want it written down in their own files, which this test compares. ROOT: the project, VERSION: its version.
cmake_minimum_required(VERSION 3.25)

# expect(FILE EXPRESSION): the file holds the expression once, and its parenthesis is the version.
function(expect file expression)
  file(READ ${ROOT}/${file} text)
  string(REGEX MATCHALL "${expression}" found "${text}")
  list(LENGTH found times)
  string(REGEX MATCH "${expression}" found "${text}")
  if(NOT times EQUAL 1 OR NOT CMAKE_MATCH_1 STREQUAL VERSION)
    message(SEND_ERROR "${file} says '${CMAKE_MATCH_1}' (${times} times), the project is ${VERSION}")
  endif()
endfunction()

set(number "([0-9]+\\.[0-9]+\\.[0-9]+)")
expect(bindings/manifest.json "\"version\": \"${number}\"")
expect(bindings/rust/Cargo.toml "\nversion = \"${number}\"")
expect(bindings/rust/Cargo.lock "name = \"tinygrad_cpp\"\nversion = \"${number}\"")
expect(bindings/rust/Cargo.toml "path = \"sys\", version = \"${number}\"")
expect(bindings/rust/sys/Cargo.toml "\nversion = \"${number}\"")
expect(bindings/rust/Cargo.lock "name = \"tinygrad_cpp-sys\"\nversion = \"${number}\"")
expect(bindings/zig/build.zig.zon "\\.version = \"${number}\"")

# The first heading of the list of changes is what is not released yet; a released version has a heading and a date.
file(STRINGS ${ROOT}/CHANGELOG.md headings REGEX "^## ")
list(POP_FRONT headings first)
if(NOT first STREQUAL "## [Unreleased]")
  message(SEND_ERROR "CHANGELOG.md begins with '${first}', not with '## [Unreleased]'")
endif()
foreach(heading IN LISTS headings)
  if(NOT heading MATCHES "^## \\[[0-9]+\\.[0-9]+\\.[0-9]+\\] - [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$")
    message(SEND_ERROR "CHANGELOG.md: '${heading}' is not '## [version] - year-month-day'")
  endif()
endforeach()
