// SPDX-License-Identifier: MIT
#pragma once

#include "published/reproduction.h"

#include <span>
#include <string_view>
#include <vector>

namespace strata {

// A file of data/published, built into the program so that it needs no other files.
struct PublishedFile {
    std::string_view name;  // without .toml
    std::string_view text;
};

// THE list is in src/published/CMakeLists.txt.
std::span<const PublishedFile> published_files();

// Everything that can be reproduced, in that order.
std::vector<Reproduction> reproductions();

// One of them by name, or a .toml file of the reader's own. Throws Error with exit code usage and
// the nearest name, or where the file cannot be read.
Reproduction find_reproduction(std::string_view name);

}  // namespace strata
