// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <span>

namespace strata {

// Selects a part of a document's records. Empty fields change nothing. Columns are named by heading
// ("time", "GFLOP/s") or by key ("median_s").
struct Selection {
    std::vector<std::string> columns = {};  // in the order to print them
    // Sorts rows by this column: numbers largest first, names alphabetically, dates newest first;
    // +NAME ascending, -NAME descending. Missing values come last.
    std::string sort = {};
    std::size_t top = 0;  // rows kept, after sorting

    bool is_everything() const { return columns.empty() && sort.empty() && top == 0; }
};

// Refuses a selection that names an unknown column, before anything is computed. Throws Error with
// exit code usage and the choices.
void require_columns(std::span<const Column> columns, const Selection& selection);

// The document with its records cut to the selection: the tables that share the first record name,
// or the first table if no table has one. Their totals and all other tables are unchanged. Throws
// Error as require_columns.
Document select(Document document, const Selection& selection);

}  // namespace strata
