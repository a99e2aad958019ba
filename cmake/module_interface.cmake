# SPDX-License-Identifier: MIT
# cmake -DFOLDER=src "-DHEADERS=backend/backend.h;..." -DOUTPUT=file.cpp [-DDEPFILE=file.d]
#       -P module_interface.cmake
#
# Writes the source of strata::module_interface(): a hash of these headers and of all in FOLDER that
# they include. DEPFILE tells the build which these are.
cmake_minimum_required(VERSION 3.25)
set(pending ${HEADERS})
set(headers)
while(pending)
  list(POP_FRONT pending header)
  if(header IN_LIST headers)
    continue()
  endif()
  list(APPEND headers "${header}")
  file(STRINGS "${FOLDER}/${header}" includes REGEX "^#include \"[^\"]+\"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" include "${include}")
    list(APPEND pending "${include}")
  endforeach()
endwhile()
list(SORT headers)

set(hashes)
foreach(header IN LISTS headers)
  file(SHA256 "${FOLDER}/${header}" hash)
  string(APPEND hashes "${header} ${hash}\n")
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING "${hash}" 0 16 hash)
list(LENGTH headers count)
file(WRITE "${OUTPUT}"
"// SPDX-License-Identifier: MIT
// Made by cmake/module_interface.cmake of ${count} headers.
#include \"backend/module.h\"

std::uint64_t strata::module_interface() {
    return 0x${hash}U;
}
")
if(DEFINED DEPFILE)
  list(TRANSFORM headers PREPEND "${FOLDER}/")
  string(REPLACE " " "\\ " headers "${headers}")
  string(REPLACE ";" " \\\n  " headers "${headers}")
  file(WRITE "${DEPFILE}" "${OUTPUT}: ${headers}\n")
endif()
