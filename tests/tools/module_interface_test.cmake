# SPDX-License-Identifier: MIT
# cmake -DSCRIPT=module_interface.cmake -DSCRATCH=folder -P module_interface_test.cmake
#
# The number changes with any header behind the seam, such as by a new virtual function, which no
# size shows; and with nothing else.
cmake_minimum_required(VERSION 3.25)
function(number_of result)
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${SCRATCH}" -DHEADERS=seam.h
                          "-DOUTPUT=${SCRATCH}/out.cpp" "-DDEPFILE=${SCRATCH}/out.d" -P "${SCRIPT}"
                  COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS "${SCRATCH}/out.cpp" line REGEX "return 0x[0-9a-f]+U;")
  if(line STREQUAL "")
    message(FATAL_ERROR "the source returns no number")
  endif()
  set(${result} "${line}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
file(WRITE "${SCRATCH}/seam.h" "#pragma once\n#include \"part/behind.h\"\n#include <vector>\n")
file(WRITE "${SCRATCH}/part/behind.h" "#pragma once\n#include \"seam.h\"\nclass Seam { virtual void run(); };\n")
file(WRITE "${SCRATCH}/other.h" "int other;\n")
number_of(before)
number_of(again)
file(WRITE "${SCRATCH}/other.h" "long other;\n")
number_of(beside)
file(APPEND "${SCRATCH}/part/behind.h" "class More { virtual void stop(); };\n")
number_of(behind)
if(NOT before STREQUAL again OR NOT before STREQUAL beside)
  message(FATAL_ERROR "the number changes without its headers: ${before}, ${again}, ${beside}")
endif()
if(before STREQUAL behind)
  message(FATAL_ERROR "the number stays although a header behind the seam changed")
endif()
file(READ "${SCRATCH}/out.d" depfile)
if(NOT depfile MATCHES "part/behind.h")
  message(FATAL_ERROR "the build is not told of part/behind.h")
endif()
