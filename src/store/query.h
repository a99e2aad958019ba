// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"
#include "store/database.h"
#include "store/limits.h"

#include <cstddef>
#include <limits>
#include <string>

namespace strata {

// How to show a query's numbers: exactly as SQL returned them, or, if a column's name ends in _s,
// bytes or flops, as seconds, bytes and operations that renderers scale.
enum class Numbers { verbatim, scaled };

// The rows that one SELECT yields. NULL is missing, blobs are hexadecimal digits, and columns of
// one name are distinguished by :1, :2, as in SQLite. Throws Error with exit code usage for invalid
// SQL, several statements, or a statement that would change anything, and with exit code failed if
// it exceeds the limits.
Table query(const Database& database, const std::string& sql, Numbers numbers,
            const StatementLimits& limits = {});

// The newest runs, newest first: network, backend, date, and the time of the whole iteration. A
// note gives the number of older ones.
Table list_runs(const Database& database,
                std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace strata
