// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "published/reproduction.h"

#include <string_view>
#include <vector>

namespace strata {

// The files of data/published; THE list is in src/published/CMakeLists.txt.
std::span<const EmbeddedFile> published_files();

// All reproductions, in that order.
std::vector<Reproduction> reproductions();

// One of them by name, or the user's .toml file. Throws Error with exit code usage and the nearest
// name, or if the file cannot be read.
Reproduction find_reproduction(std::string_view name);

}  // namespace strata
