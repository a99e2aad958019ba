# SPDX-License-Identifier: MIT
# cmake -DSCRIPT=cuda_architectures.cmake -P cuda_architectures_test.cmake
#
# A toolkit is asked only for chips that it knows: one too many stops the configuration of everything.
cmake_minimum_required(VERSION 3.25)
include("${SCRIPT}")
function(expect version wanted)
  strata_cuda_architectures(chips ${version} ${ARGN})
  if(NOT chips STREQUAL wanted)
    message(SEND_ERROR "CUDA ${version} ${ARGN}: ${chips}, not ${wanted}")
  endif()
endfunction()

foreach(version 12.4.131 12.6.85)
  expect(${version} "75;80;90")
  expect(${version} "75-real;80-real;90-real;75-virtual" PORTABLE)
endforeach()
foreach(version 12.8.93 12.9.86 13.0.88 13.5.37)
  expect(${version} "75;80;90;100;120")
  expect(${version} "75-real;80-real;90-real;100-real;120-real;75-virtual" PORTABLE)
endforeach()
