# What `cmake --install` puts where: library, headers, licence, package files. find_package(tinygrad) then gives
# tinygrad::tinygrad, and with COMPONENTS models also tinygrad::models.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# tg_install_package(TARGET COMPONENT [EXCLUDE_FROM_ALL])
# Installs the target made by tg_add_library as the package tinygrad: the shared library and the licence as COMPONENT, what
# programs are compiled with as COMPONENT_dev. With EXCLUDE_FROM_ALL only when the components are named: that is how the
# tests install the other kind of library from the same build.
function(tg_install_package target component)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/tinygrad)
  set(made ${PROJECT_BINARY_DIR}/package/${component})
  set(place COMPONENT ${component}_dev ${ARGN})

  install(TARGETS ${target} EXPORT ${target}Targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT ${component}_dev ${ARGN}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} ${place}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component} ${ARGN}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${place})
  install(EXPORT ${target}Targets FILE tinygradTargets.cmake NAMESPACE tinygrad::
    DESTINATION ${folder} ${place})

  get_target_property(TG_LIBRARY_TYPE ${target} TYPE)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tinygradConfig.cmake.in
    ${made}/tinygradConfig.cmake INSTALL_DESTINATION ${folder})
  write_basic_package_version_file(${made}/tinygradConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  set(TG_PC_PRIVATE_LIBS "")
  if(TG_LIBRARY_TYPE STREQUAL "STATIC_LIBRARY")
    set(TG_PC_PRIVATE_LIBS "-lfmt -lz -lstdc++ -lm -pthread -ldl")
  endif()
  # From lib/pkgconfig back to the prefix: one step for each part of the path.
  string(REGEX REPLACE "[^/]+" ".." TG_PC_UP "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tinygrad.pc.in ${made}/tinygrad.pc @ONLY)
  install(FILES ${made}/tinygrad.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${place})
  install(FILES ${made}/tinygradConfig.cmake ${made}/tinygradConfigVersion.cmake
    DESTINATION ${folder} ${place})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/tinygrad
    COMPONENT ${component} ${ARGN})
endfunction()

# tg_install_models(TARGET COMPONENT): the library of tg_add_models_library, found as component `models` of the package
# tinygrad: the shared library as COMPONENT, the rest as COMPONENT_dev.
function(tg_install_models target component)
  install(TARGETS ${target} EXPORT ${target}Targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT ${component}_dev
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}_dev
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${component}_dev)
  install(EXPORT ${target}Targets FILE tinygradModelsTargets.cmake NAMESPACE tinygrad::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tinygrad COMPONENT ${component}_dev)
endfunction()
