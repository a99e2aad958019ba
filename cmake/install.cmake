# SPDX-License-Identifier: MIT
# Installs the program, the engine's module beside it, and every library module with its headers as a
# CMake package: find_package(strata), target_link_libraries(... strata::graph).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS strata RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
get_property(modules GLOBAL PROPERTY STRATA_MODULES)
install(TARGETS ${modules} EXPORT strataTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/strata FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_BINARY_DIR}/share/strata.bash" RENAME strata
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES "${PROJECT_BINARY_DIR}/share/_strata"
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES "${PROJECT_BINARY_DIR}/share/strata.fish"
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES "${PROJECT_BINARY_DIR}/share/strata.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# The facts are built into the program; here they can be read.
install(DIRECTORY data/published data/metrics DESTINATION ${CMAKE_INSTALL_DATADIR}/strata)
install(EXPORT strataTargets NAMESPACE strata:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/strata)
if(TARGET strata_onednn_module)
  install(TARGETS strata_onednn_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/strata)
endif()

configure_package_config_file(cmake/strataConfig.cmake.in strataConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/strata)
write_basic_package_version_file(strataConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/strataConfig.cmake" "${PROJECT_BINARY_DIR}/strataConfigVersion.cmake"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/strata)
