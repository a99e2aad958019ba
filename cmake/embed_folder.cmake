# SPDX-License-Identifier: MIT
# cmake -DFOLDER=data/published -DNAMES=a,b -DOUTPUT=file.cpp -P embed_folder.cmake
#
# Writes a source that holds the files a.toml, b.toml ... of a folder as the list published_files().
string(REPLACE "," ";" names "${NAMES}")
set(entries "")
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}.toml" text)
  string(FIND "${text}" ")embedded\"" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${name}.toml contains the delimiter of its raw string.")
  endif()
  string(APPEND entries "    PublishedFile{\"${name}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE "${OUTPUT}"
"// SPDX-License-Identifier: MIT
// Made by cmake/embed_folder.cmake of ${FOLDER}.
#include \"published/files.h\"

#include <array>

namespace strata {

namespace {

constexpr std::array files = {
${entries}};

}  // namespace

std::span<const PublishedFile> published_files() {
    return files;
}

}  // namespace strata
")
