// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/file.h"
#include "store/database.h"

namespace strata {

std::filesystem::path database_path(const std::string& asked) {
    if (!asked.empty()) {
        return asked;
    }
    if (const auto named = path_in_environment("STRATA_DATABASE")) {
        return *named;
    }
    if (const auto home = data_home()) {
        return *home / "strata" / "strata.sqlite";
    }
    throw Error(
        "neither HOME nor STRATA_DATABASE is set, so there is nowhere to put the database; choose "
        "a file with --database");
}

}  // namespace strata
