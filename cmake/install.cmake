# SPDX-License-Identifier: MIT
# What `cmake --install` copies, in two components:
#
#   program     the program, the backends that were built, its facts and its licence. All that
#               scripts/run builds; installed unless a component is named.
#   libraries   every library module with its headers as a CMake package: find_package(strata),
#               target_link_libraries(... strata::graph). Needs a full build, and is asked for:
#               cmake --install build/release --component libraries
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The program looks for its backends in ../lib/strata relative to its own folder, on every
# distribution, so that the installation can be moved as a whole.
set(backend_folder lib/strata)

install(TARGETS strata RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
get_target_property(backends strata_modules MANUALLY_ADDED_DEPENDENCIES)
foreach(backend IN LISTS backends)
  if(TARGET ${backend})
    # A vendor's library outside the system's folders is found where it was linked.
    set_target_properties(${backend} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${backend} LIBRARY DESTINATION ${backend_folder} COMPONENT program OPTIONAL
            RUNTIME DESTINATION ${backend_folder} COMPONENT program OPTIONAL)
  endif()
endforeach()
# Completion and the manual page, which building the program leaves in share.
set(share "${PROJECT_BINARY_DIR}/share")
install(FILES "${share}/strata.bash" RENAME strata
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES "${share}/_strata"
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES "${share}/strata.fish"
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
install(FILES "${share}/strata.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
# The facts are built into the program; here they are installed for reading.
install(DIRECTORY data/devices data/rates data/published data/metrics DESTINATION ${CMAKE_INSTALL_DATADIR}/strata
        COMPONENT program)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# Backends that use a vendor's library are opened at run time (backend/module.h), not linked.
set(vendor_folders "${PROJECT_SOURCE_DIR}/src/backend/(cpu|cuda)")
get_property(modules GLOBAL PROPERTY STRATA_MODULES)
foreach(module IN LISTS modules)
  get_target_property(folder ${module} SOURCE_DIR)
  if(NOT folder MATCHES "^${vendor_folders}")
    install(TARGETS ${module} EXPORT strataTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
            COMPONENT libraries EXCLUDE_FROM_ALL)
  endif()
endforeach()
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/strata COMPONENT libraries
        EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.h"
        PATTERN backend/cpu EXCLUDE PATTERN backend/cuda EXCLUDE PATTERN cli EXCLUDE)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/strata)
install(EXPORT strataTargets NAMESPACE strata:: DESTINATION ${package_folder}
        COMPONENT libraries EXCLUDE_FROM_ALL)
configure_package_config_file(cmake/strataConfig.cmake.in strataConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS backend_folder)
write_basic_package_version_file(strataConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/strataConfig.cmake"
              "${PROJECT_BINARY_DIR}/strataConfigVersion.cmake"
        DESTINATION ${package_folder} COMPONENT libraries EXCLUDE_FROM_ALL)
