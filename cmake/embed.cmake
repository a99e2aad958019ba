# SPDX-License-Identifier: MIT
# cmake -DINPUT=file.js -DOUTPUT=file.cpp -DVARIABLE=name -DHEADER=report/html_blocks.h -P embed.cmake
#
# Writes a source that holds a text file as a std::string_view constant. A closing script or style tag
# inside would end the element that the text is put into, so such a file is refused.
file(READ "${INPUT}" text)
string(TOLOWER "${text}" lower)
foreach(tag "</script" "</style" "<!--")
  string(FIND "${lower}" "${tag}" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${INPUT} contains ${tag} and cannot be embedded in a page.")
  endif()
endforeach()
string(FIND "${text}" ")embedded\"" position)
if(NOT position EQUAL -1)
  message(FATAL_ERROR "${INPUT} contains the delimiter of its raw string.")
endif()
file(WRITE "${OUTPUT}"
"// SPDX-License-Identifier: MIT
// Made by cmake/embed.cmake of ${INPUT}.
#include \"${HEADER}\"

namespace strata {

const std::string_view ${VARIABLE} = R\"embedded(${text})embedded\";

}  // namespace strata
")
