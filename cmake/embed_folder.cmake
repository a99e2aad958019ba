# SPDX-License-Identifier: MIT
# cmake -DFOLDER=data/published -DNAMES=a,b -DHEADER=published/files.h -DTYPE=PublishedFile
#       -DFUNCTION=published_files -DOUTPUT=file.cpp [-DSUFFIX=py] -P embed_folder.cmake
#
# Writes a source that holds the files a.toml, b.toml ... (or of another SUFFIX) of a folder as the
# list that FUNCTION returns, each a TYPE of name and text.
string(REPLACE "," ";" names "${NAMES}")
set(entries "")
if(NOT DEFINED SUFFIX)
  set(SUFFIX toml)
endif()
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}.${SUFFIX}" text)
  string(FIND "${text}" ")embedded\"" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${name}.${SUFFIX} contains the delimiter of its raw string.")
  endif()
  string(APPEND entries "    ${TYPE}{\"${name}\", R\"embedded(${text})embedded\"},\n")
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

std::span<const ${TYPE}> ${FUNCTION}() {
    return ${FUNCTION}_list;
}

}  // namespace strata
")
