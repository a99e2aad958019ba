// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata::cuda {

// A library of NVIDIA that is opened at run time, so that strata runs without it. It stays open
// until the program ends. Once open, it also serves a library that opens it by the same name: the
// loader compares names before it searches folders.
struct SharedLibrary {
    void* handle = nullptr;    // null: it cannot be opened
    std::string place = {};    // the name or path by which it was opened
    std::string refusal = {};  // the loader's reason; empty if it was opened

    // The address of a function; nullptr if the library lacks it or is not open.
    void* symbol(const char* name) const;
};

// Opens the first of these that the loader accepts. The reason is that of the first file that
// exists and cannot be opened, or else of the first place. Requires: at least one place.
SharedLibrary open_first(const std::vector<std::string>& places);

// The known locations of NVIDIA's libraries.
struct LibraryFolders {
    std::vector<std::string> named = {};  // the user's, in STRATA_CUDA_LIBRARIES
    std::vector<std::string> found = {};  // those that configuring found
    std::string neighbour = {};           // the folder of one that is already loaded; may be empty
    std::vector<std::string> roots = {};  // of toolkits and conda environments
};

// The folders of this process: from its environment, the build, and the library that contains
// `neighbour`, the address of a function; nullptr if none is loaded.
LibraryFolders library_folders(const void* neighbour);

// The places of a library, best first: the user's folders; only the name, which the loader searches
// along LD_LIBRARY_PATH and in the system's folders; where configuring found it; beside the
// neighbour, as in toolkits and conda, and in the neighbouring wheels that pip installs, where this
// library's is named `wheel` ("cuda_cupti", from CUDA 13 on "cu13"); and in the roots.
std::vector<std::string> places_of(std::string_view file, std::string_view wheel,
                                   const LibraryFolders& folders);

// "libcupti.so.13": the name of a library of the CUDA version that strata was built with.
std::string library_name(std::string_view library, int cuda_major);

}  // namespace strata::cuda
