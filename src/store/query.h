// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"
#include "store/database.h"

#include <string>

namespace strata {

// The rows that one SELECT yields. Columns whose names end in _s are seconds, in bytes bytes, flops
// operations, so that renderers can scale them; NULL is missing. Throws Error with exit code usage
// for SQL that is wrong, that is several statements, or that would change anything.
Table query(const Database& database, const std::string& sql);

// All runs, newest first: what, on what, when, and the time of the whole iteration.
Table list_runs(const Database& database);

}  // namespace strata
