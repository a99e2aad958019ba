# SPDX-License-Identifier: MIT
# Where cuDNN, CUPTI, NVRTC and cuBLAS may lie: beside the toolkit, in wheels of PyPI, in conda's
# environments, or in the system's folders.

set(STRATA_CUDA_LIBRARIES "$ENV{STRATA_CUDA_LIBRARIES}" CACHE STRING
    "Folders in which NVIDIA's libraries are looked for first")

# strata_cuda_roots(OUT MAJOR [NAMED folder...] [TOOLKITS folder...] [CONDA folder...] [PYTHON folder...])
#
# Folders that may hold include and lib, best first: those that the user named, toolkits' and conda's
# (each also with its targets and extras/CUPTI), and what pip leaves in a folder of Python packages:
# nvidia/PART of CUDA 12, nvidia/cu13 of later ones.
function(strata_cuda_roots out major)
  cmake_parse_arguments(PARSE_ARGV 2 given "" "" "NAMED;TOOLKITS;CONDA;PYTHON")
  set(wheels cu${major} cudnn cuda_cupti cuda_nvrtc cublas)
  list(TRANSFORM wheels PREPEND nvidia/)
  set(roots)
  foreach(kind NAMED TOOLKITS CONDA PYTHON)
    foreach(folder IN LISTS given_${kind})
      set(below . targets/x86_64-linux extras/CUPTI)
      if(kind STREQUAL "NAMED")  # it may be any of these, or a folder of libraries itself
        list(APPEND below .. ${wheels})
      elseif(kind STREQUAL "PYTHON")
        set(below ${wheels})
      endif()
      list(TRANSFORM below PREPEND "${folder}/")
      list(APPEND roots ${below})
    endforeach()
  endforeach()
  list(TRANSFORM roots REPLACE "/\\.$" "")
  list(REMOVE_DUPLICATES roots)
  set(${out} "${roots}" PARENT_SCOPE)
endfunction()

# strata_find_cuda_library(NAME HEADER file LIBRARY name VERSION number ROOTS folder...)
#
# Sets NAME_INCLUDE_DIR and NAME_LIBRARY, both of the first root that has both, or else of the
# system's folders; NAME-NOTFOUND where neither has them. The library is found by the name that
# programs load it by: wheels have no libNAME.so. Without HEADER only the library is looked for.
function(strata_find_cuda_library name)
  cmake_parse_arguments(PARSE_ARGV 1 wanted "" "HEADER;LIBRARY;VERSION" "ROOTS")
  set(file "lib${wanted_LIBRARY}.so.${wanted_VERSION}")
  if(${name}_LIBRARY AND (${name}_INCLUDE_DIR OR NOT wanted_HEADER))
    return()
  endif()
  foreach(root IN LISTS wanted_ROOTS ITEMS "")
    set(scope NO_CACHE)
    if(root)
      list(APPEND scope PATHS "${root}" NO_DEFAULT_PATH)
    endif()
    unset(header)
    unset(library)
    if(wanted_HEADER)
      find_path(header "${wanted_HEADER}" ${scope} PATH_SUFFIXES include)
    endif()
    find_library(library NAMES "${file}" ${scope} PATH_SUFFIXES lib64 lib)
    if(library AND (header OR NOT wanted_HEADER))
      break()
    endif()
  endforeach()
  if(library AND (header OR NOT wanted_HEADER))
    set(${name}_LIBRARY "${library}" CACHE FILEPATH "")
    set(${name}_INCLUDE_DIR "${header}" CACHE PATH "")
    mark_as_advanced(${name}_LIBRARY ${name}_INCLUDE_DIR)
  else()
    set(${name}_LIBRARY "${name}-NOTFOUND" PARENT_SCOPE)
    set(${name}_INCLUDE_DIR "${name}-NOTFOUND" PARENT_SCOPE)
  endif()
endfunction()

# strata_cuda_roots_here(OUT): the roots of this machine. Requires: CUDAToolkit was found.
function(strata_cuda_roots_here out)
  set(python)
  find_program(program python3 NO_CACHE)
  if(program)
    execute_process(COMMAND "${program}" -c
      "import site; print(*site.getsitepackages(), site.getusersitepackages(), sep=';', end='')"
      OUTPUT_VARIABLE python ERROR_QUIET)
  endif()
  get_filename_component(beside "${CUDAToolkit_LIBRARY_DIR}" DIRECTORY)
  string(REPLACE ":" ";" named "${STRATA_CUDA_LIBRARIES}")
  strata_cuda_roots(roots ${CUDAToolkit_VERSION_MAJOR}
    NAMED ${cuDNN_ROOT} $ENV{cuDNN_ROOT} ${named}
    TOOLKITS ${CUDAToolkit_LIBRARY_ROOT} ${CUDAToolkit_TARGET_DIR} ${beside}
    CONDA $ENV{CONDA_PREFIX}
    PYTHON ${python})
  set(${out} "${roots}" PARENT_SCOPE)
endfunction()
