# SPDX-License-Identifier: MIT
# Finds libtorch 2.5 or later by its headers and libraries, because its own configuration demands the
# CUDA toolkit wherever it was built for CUDA. PyTorch's wheel has it: of the environment that
# scripts/peers makes, or of the folder that STRATA_LIBTORCH names (the one that holds include and lib).
#   Libtorch::Libtorch, Libtorch_VERSION
set(data_home "$ENV{XDG_DATA_HOME}")
if(NOT data_home)
  set(data_home "$ENV{HOME}/.local/share")
endif()
set(STRATA_LIBTORCH "$ENV{STRATA_LIBTORCH}" CACHE PATH "The folder of libtorch, with its include and lib")
if(STRATA_LIBTORCH)
  set(folders "${STRATA_LIBTORCH}")
else()
  file(GLOB folders "${PROJECT_SOURCE_DIR}/.venv-peers/lib/python3*/site-packages/torch"
                    "${data_home}/strata/peers/lib/python3*/site-packages/torch")
endif()
find_path(Libtorch_INCLUDE_DIR torch/csrc/autograd/engine.h HINTS ${folders} PATH_SUFFIXES include)
find_library(Libtorch_LIBRARY torch_cpu HINTS ${folders} PATH_SUFFIXES lib)
find_library(Libtorch_CORE_LIBRARY c10 HINTS ${folders} PATH_SUFFIXES lib)
mark_as_advanced(Libtorch_INCLUDE_DIR Libtorch_LIBRARY Libtorch_CORE_LIBRARY)

if(Libtorch_INCLUDE_DIR)
  set(lines)
  foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(NOT lines AND EXISTS "${Libtorch_INCLUDE_DIR}/${header}")
      file(STRINGS "${Libtorch_INCLUDE_DIR}/${header}" lines
           REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]")
    endif()
  endforeach()
  string(REGEX REPLACE "[^0-9;]" "" numbers "${lines}")
  list(JOIN numbers "." Libtorch_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libtorch REQUIRED_VARS Libtorch_LIBRARY Libtorch_CORE_LIBRARY
                                  Libtorch_INCLUDE_DIR VERSION_VAR Libtorch_VERSION)

if(Libtorch_FOUND AND NOT TARGET Libtorch::Libtorch)
  add_library(Libtorch::Libtorch INTERFACE IMPORTED)
  set_target_properties(Libtorch::Libtorch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES
      "${Libtorch_INCLUDE_DIR};${Libtorch_INCLUDE_DIR}/torch/csrc/api/include"
    INTERFACE_LINK_LIBRARIES "${Libtorch_LIBRARY};${Libtorch_CORE_LIBRARY}"
    # It finds the libraries of CUDA by its own search path, which the linker does not follow.
    INTERFACE_LINK_OPTIONS "LINKER:--unresolved-symbols=ignore-in-shared-libs")
  # Wheels before 2.6 have std::string as it was before C++11: they cannot be linked with ours.
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES Libtorch::Libtorch)
  check_cxx_source_compiles("#include <ATen/Version.h>
    int main() { return at::get_cpu_capability().size() + at::show_config().size() > 1 ? 0 : 1; }"
    Libtorch_LINKS)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
