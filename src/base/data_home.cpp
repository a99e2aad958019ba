// SPDX-License-Identifier: MIT
#include "base/data_home.h"

#include <cstdlib>

namespace strata {

std::optional<std::filesystem::path> path_in_environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? std::nullopt
                                              : std::optional<std::filesystem::path>(value);
}

std::optional<std::filesystem::path> data_home() {
    if (const auto asked = path_in_environment("XDG_DATA_HOME"); asked && asked->is_absolute()) {
        return asked;
    }
    const auto home = path_in_environment("HOME");
    return home ? std::optional(*home / ".local" / "share") : std::nullopt;
}

}  // namespace strata
