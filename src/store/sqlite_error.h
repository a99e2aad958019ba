// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"

#include "store/database.h"

#include <filesystem>
#include <string>

namespace strata {

// SQLite's report on a failed call.
struct SqliteFailure {
    int code = 0;          // extended result code
    std::string message;   // sqlite3_errmsg
    int system_error = 0;  // errno of the operation beneath, 0 where there is none
};

// The failure as one sentence that names the database, what is wrong with it, and the fix.
Error database_error(const std::filesystem::path& file, const SqliteFailure& failure,
                     DatabaseOwner owner = DatabaseOwner::strata);

}  // namespace strata
