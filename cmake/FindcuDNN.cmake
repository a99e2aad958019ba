# SPDX-License-Identifier: MIT
# Finds cuDNN 9 (cuda_libraries.cmake says where; cuDNN_ROOT is looked in first).
#   cuDNN::cuDNN (graphs, recurrent layers and what the older interface still has), cuDNN_VERSION
include(cuda_libraries)
strata_cuda_roots_here(roots)
strata_find_cuda_library(cuDNN HEADER cudnn_version.h LIBRARY cudnn VERSION 9 ROOTS ${roots})

if(cuDNN_INCLUDE_DIR)
  file(STRINGS "${cuDNN_INCLUDE_DIR}/cudnn_version.h" lines
       REGEX "#define CUDNN_(MAJOR|MINOR|PATCHLEVEL) ")
  string(REGEX REPLACE "[^0-9;]" "" numbers "${lines}")
  list(JOIN numbers "." cuDNN_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(cuDNN REQUIRED_VARS cuDNN_LIBRARY cuDNN_INCLUDE_DIR
                                  VERSION_VAR cuDNN_VERSION)

if(cuDNN_FOUND AND NOT TARGET cuDNN::cuDNN)
  add_library(cuDNN::cuDNN UNKNOWN IMPORTED)
  set_target_properties(cuDNN::cuDNN PROPERTIES
    IMPORTED_LOCATION "${cuDNN_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${cuDNN_INCLUDE_DIR}")
endif()
