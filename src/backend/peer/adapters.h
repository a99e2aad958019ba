// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace strata {

// A file of adapters/, as the program contains it.
struct AdapterFile {
    std::string_view name;  // without .py
    std::string_view text;
};

std::span<const AdapterFile> adapter_files();

}  // namespace strata
