# SPDX-License-Identifier: MIT
# Finds FFTW 3 in single precision, which Debian's package has no CMake configuration for.
#   FFTW::single
find_path(FFTW_INCLUDE_DIR fftw3.h)
find_library(FFTW_SINGLE_LIBRARY fftw3f)
mark_as_advanced(FFTW_INCLUDE_DIR FFTW_SINGLE_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTW REQUIRED_VARS FFTW_SINGLE_LIBRARY FFTW_INCLUDE_DIR)

if(FFTW_FOUND AND NOT TARGET FFTW::single)
  add_library(FFTW::single UNKNOWN IMPORTED)
  set_target_properties(FFTW::single PROPERTIES
    IMPORTED_LOCATION "${FFTW_SINGLE_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${FFTW_INCLUDE_DIR}")
endif()
