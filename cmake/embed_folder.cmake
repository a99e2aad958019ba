# SPDX-License-Identifier: MIT
# What strata_embedded_files runs (module.cmake).
string(REPLACE "," ";" names "${NAMES}")
set(entries "")
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}.${SUFFIX}" text)
  string(FIND "${text}" ")embedded\"" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${name}.${SUFFIX} contains the delimiter of its raw string.")
  endif()
  string(APPEND entries "    EmbeddedFile{\"${name}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE "${OUTPUT}"
"// SPDX-License-Identifier: MIT
// Made by cmake/embed_folder.cmake of ${FOLDER}.
#include \"${HEADER}\"

#include <array>

namespace strata {

namespace {

constexpr std::array ${FUNCTION}_list = {
${entries}};

}  // namespace

std::span<const EmbeddedFile> ${FUNCTION}() {
    return ${FUNCTION}_list;
}

}  // namespace strata
")
