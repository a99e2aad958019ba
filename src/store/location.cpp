// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "store/database.h"

#include <cstdlib>

namespace strata {

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// The XDG base directory specification: a relative $XDG_DATA_HOME is invalid and ignored.
std::filesystem::path data_home() {
    const std::filesystem::path asked = variable("XDG_DATA_HOME");
    if (asked.is_absolute()) {
        return asked;
    }
    const std::string home = variable("HOME");
    if (home.empty()) {
        throw Error(
            "neither HOME nor STRATA_DATABASE is set, so there is no place for the database; name "
            "one with --database");
    }
    return std::filesystem::path(home) / ".local" / "share";
}

}  // namespace

std::filesystem::path database_path(const std::string& asked) {
    if (!asked.empty()) {
        return asked;
    }
    const std::string named = variable("STRATA_DATABASE");
    return named.empty() ? data_home() / "strata" / "strata.sqlite" : std::filesystem::path(named);
}

}  // namespace strata
