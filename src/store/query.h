// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "report/document.h"
#include "store/database.h"

#include <string>

namespace strata {

// How numbers of a query are shown: digit for digit as SQL gave them, or, where a column's name
// ends in _s, bytes or flops, as seconds, bytes and operations that renderers scale.
enum class Numbers { verbatim, scaled };

// How much a query may take: a mistake in SQL asks for more than any machine has.
struct QueryLimits {
    Seconds time{60};
    Bytes memory{4e9};  // a quarter of it for its rows
};

// The rows that one SELECT yields. NULL is missing, blobs are hexadecimal digits, and columns of
// one name are distinguished by :1, :2, as SQLite does. Throws Error with exit code usage for SQL
// that is wrong, that is several statements, or that would change anything, and with exit code
// failed if it takes more than the limits.
Table query(const Database& database, const std::string& sql, Numbers numbers,
            const QueryLimits& limits = {});

// All runs, newest first: what, on what, when, and the time of the whole iteration.
Table list_runs(const Database& database);

}  // namespace strata
