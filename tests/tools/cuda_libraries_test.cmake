# SPDX-License-Identifier: MIT
# cmake -DSCRIPT=cuda_libraries.cmake -DSCRATCH=folder -P cuda_libraries_test.cmake
#
# NVIDIA's libraries are found as toolkits, conda and pip leave them. A header and a library of
# different places would not fit each other, so they are only taken together.
cmake_minimum_required(VERSION 3.25)
include("${SCRIPT}")
file(REMOVE_RECURSE "${SCRATCH}")

function(touch)
  foreach(file IN LISTS ARGN)
    file(WRITE "${SCRATCH}/${file}" "")
  endforeach()
endfunction()

# The place of cupti.h and libcupti.so.MAJOR among these roots must be FOLDER.
function(expect_cupti major folder)
  unset(probe_LIBRARY CACHE)
  unset(probe_INCLUDE_DIR CACHE)
  strata_cuda_roots(roots ${major} ${ARGN})
  strata_find_cuda_library(probe HEADER strata_cupti.h LIBRARY strata_cupti VERSION ${major} ROOTS ${roots})
  file(REAL_PATH "${probe_LIBRARY}" found)
  string(REPLACE "${SCRATCH}/" "" found "${found}")
  if(NOT found MATCHES "^${folder}/lib")
    message(SEND_ERROR "CUDA ${major} in ${ARGN}: ${found}, not below ${folder}")
  endif()
  file(REAL_PATH "${probe_INCLUDE_DIR}" found)
  string(REPLACE "${SCRATCH}/" "" found "${found}")
  if(probe_LIBRARY AND NOT found STREQUAL "${folder}/include")
    message(SEND_ERROR "CUDA ${major} in ${ARGN}: header in ${found}, not in ${folder}/include")
  endif()
endfunction()

# (Names that no machine has in its system's folders.)
touch(toolkit/include/other.h toolkit/extras/CUPTI/include/strata_cupti.h
      toolkit/extras/CUPTI/lib64/libstrata_cupti.so.12)
touch(conda/targets/x86_64-linux/include/strata_cupti.h conda/targets/x86_64-linux/lib/libstrata_cupti.so.12)
touch(plain/include/strata_cupti.h plain/lib/libstrata_cupti.so.13)
touch(pip12/nvidia/cuda_cupti/include/strata_cupti.h pip12/nvidia/cuda_cupti/lib/libstrata_cupti.so.12)
touch(pip13/nvidia/cu13/include/strata_cupti.h pip13/nvidia/cu13/lib/libstrata_cupti.so.13)
touch(half/include/strata_cupti.h rest/lib/libstrata_cupti.so.13)

expect_cupti(12 "toolkit/extras/CUPTI" TOOLKITS "${SCRATCH}/toolkit" PYTHON "${SCRATCH}/pip12")
expect_cupti(12 "conda/targets/x86_64-linux" CONDA "${SCRATCH}/conda")
expect_cupti(13 "plain" CONDA "${SCRATCH}/conda" "${SCRATCH}/plain")
expect_cupti(12 "pip12/nvidia/cuda_cupti" PYTHON "${SCRATCH}/pip13" "${SCRATCH}/pip12")
expect_cupti(13 "pip13/nvidia/cu13" PYTHON "${SCRATCH}/pip12" "${SCRATCH}/pip13")
expect_cupti(13 "plain" NAMED "${SCRATCH}/plain" TOOLKITS "${SCRATCH}/toolkit")
expect_cupti(13 "plain" NAMED "${SCRATCH}/plain/lib")
expect_cupti(13 "pip13/nvidia/cu13" NAMED "${SCRATCH}/pip13" CONDA "${SCRATCH}/plain")
expect_cupti(13 "plain" TOOLKITS "${SCRATCH}/half" "${SCRATCH}/rest" "${SCRATCH}/plain")

# What is nowhere is not found.
strata_cuda_roots(roots 12 TOOLKITS "${SCRATCH}/half" "${SCRATCH}/rest")
strata_find_cuda_library(absent HEADER strata_cupti.h LIBRARY strata_cupti VERSION 13 ROOTS ${roots})
if(absent_LIBRARY)
  message(SEND_ERROR "a header and a library of different places were taken together")
endif()
