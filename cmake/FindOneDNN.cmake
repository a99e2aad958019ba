# SPDX-License-Identifier: MIT
# Finds oneDNN 2.6 or 3.x by its header and library, because the package's own CMake configuration
# demands OpenCL on Debian. Hint: OneDNN_ROOT, as a variable or in the environment.
#   OneDNN::OneDNN, OneDNN_VERSION
set(OneDNN_hint "${OneDNN_ROOT}")
if(NOT OneDNN_hint)
  set(OneDNN_hint "$ENV{OneDNN_ROOT}")
endif()
# A different folder than at the last configuration means a different library.
if(OneDNN_hint AND NOT OneDNN_hint STREQUAL OneDNN_SEARCHED)
  unset(OneDNN_INCLUDE_DIR CACHE)
  unset(OneDNN_LIBRARY CACHE)
  set(OneDNN_SEARCHED "${OneDNN_hint}" CACHE INTERNAL "Where oneDNN was looked for last")
endif()
find_path(OneDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(OneDNN_LIBRARY dnnl)
mark_as_advanced(OneDNN_INCLUDE_DIR OneDNN_LIBRARY)

if(OneDNN_INCLUDE_DIR)
  file(STRINGS "${OneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h" lines
       REGEX "#define DNNL_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" numbers "${lines}")
  list(JOIN numbers "." OneDNN_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneDNN REQUIRED_VARS OneDNN_LIBRARY OneDNN_INCLUDE_DIR
                                  VERSION_VAR OneDNN_VERSION)

if(OneDNN_FOUND AND NOT TARGET OneDNN::OneDNN)
  add_library(OneDNN::OneDNN UNKNOWN IMPORTED)
  set_target_properties(OneDNN::OneDNN PROPERTIES
    IMPORTED_LOCATION "${OneDNN_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${OneDNN_INCLUDE_DIR}")
endif()
