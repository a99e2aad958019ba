// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <memory>
#include <span>
#include <string_view>

namespace strata {

// A backend that the command line can name.
struct BackendEntry {
    std::string_view name;
    std::string_view meaning;
    std::unique_ptr<Backend> (*make)();  // throws Error (machine_cannot) where it cannot work here
};

// THE list; the first is what `run` uses unless told otherwise.
std::span<const BackendEntry> backends();

// Throws Error with exit code usage and the nearest name.
const BackendEntry& find_backend(std::string_view name);

}  // namespace strata
