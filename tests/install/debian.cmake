# Makes the Debian packages of a build, looks at what is in them and what they depend on, unpacks the library's two into an
# empty folder and builds the consumer project with that. Nothing is installed.
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

foreach(program cpack dpkg-deb dpkg-shlibdeps)
  find_program(${program} ${program})
  if(NOT ${program})
    message(NOTICE "skipped: ${program} is missing (Debian: dpkg-dev)")
    return()
  endif()
endforeach()
file(REMOVE_RECURSE ${work})
# The strongest compression takes most of the time, and is not what is tried.
step(${cpack} --config ${build}/CPackConfig.cmake -C ${config} -B ${work}/packages -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)
file(GLOB packages RELATIVE ${work}/packages ${work}/packages/*.deb)
string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor ${version})

# expect(PACKAGE FILES EXPRESSION): it holds files, and its dependencies match.
function(expect name files expression)
  list(FILTER packages INCLUDE REGEX "^${name}_${version}_[a-z0-9]+\\.deb$")
  list(LENGTH packages count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "there is no package ${name} of version ${version}")
  endif()
  step(${dpkg-deb} -c ${work}/packages/${packages})
  foreach(file ${files})
    if(NOT out MATCHES " \\./usr/${file}( -> [^\n]*)?\n")
      message(FATAL_ERROR "${packages} has no /usr/${file}:\n${out}")
    endif()
  endforeach()
  step(${dpkg-deb} -f ${work}/packages/${packages} Depends)
  if(NOT out MATCHES "${expression}")
    message(FATAL_ERROR "${packages} depends on '${out}', which does not match '${expression}'")
  endif()
endfunction()

list(LENGTH packages count)
if(NOT count EQUAL 3)
  message(FATAL_ERROR "not three packages: '${packages}'")
endif()
expect(libtinygrad${minor} "lib/libtinygrad.so.${minor};share/licenses/tinygrad/LICENSE" "libc6 .*libfmt.*libstdc\\+\\+6 .*zlib1g")
expect(libtinygrad-dev
  "include/tg/tg.h;include/tg/c/tg.h;lib/libtinygrad.so;lib/cmake/tinygrad/tinygradConfig.cmake;lib/pkgconfig/tinygrad.pc"
  "^libtinygrad${minor} \\(= ${version}\\)\n$")
expect(tinygrad-tools "bin/tg;bin/tg-conformance" "libc6 .*libstdc\\+\\+6 ")

foreach(name libtinygrad${minor} libtinygrad-dev)
  file(GLOB package ${work}/packages/${name}_*.deb)
  step(${dpkg-deb} -x ${package} ${work}/root)
endforeach()
step(${CMAKE_COMMAND} -G ${generator} -S ${source} -B ${work}/build -D CMAKE_PREFIX_PATH=${work}/root/usr
  -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=${config} -D WANTED_VERSION=${version})
step(${CMAKE_COMMAND} --build ${work}/build --config ${config})
step(${work}/build/consumer)
if(NOT out STREQUAL "tinygrad ${version}\n")
  message(FATAL_ERROR "the consumer printed '${out}'")
endif()
