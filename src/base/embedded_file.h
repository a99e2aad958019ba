// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace strata {

// A text file built into the program, so that it needs no other files (strata_embedded_files).
struct EmbeddedFile {
    std::string_view name;  // without its suffix
    std::string_view text;
};

}  // namespace strata
