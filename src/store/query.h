// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"
#include "store/database.h"
#include "store/limits.h"

#include <cstddef>
#include <limits>
#include <string>

namespace strata {

// How numbers of a query are shown: digit for digit as SQL gave them, or, where a column's name
// ends in _s, bytes or flops, as seconds, bytes and operations that renderers scale.
enum class Numbers { verbatim, scaled };

// The rows that one SELECT yields. NULL is missing, blobs are hexadecimal digits, and columns of
// one name are distinguished by :1, :2, as SQLite does. Throws Error with exit code usage for SQL
// that is wrong, that is several statements, or that would change anything, and with exit code
// failed if it takes more than the limits.
Table query(const Database& database, const std::string& sql, Numbers numbers,
            const StatementLimits& limits = {});

// The newest runs, newest first: what, on what, when, and the time of the whole iteration. A note
// says how many older ones there are.
Table list_runs(const Database& database,
                std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace strata
