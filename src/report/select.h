// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <span>

namespace strata {

// Which part of a document's records is wanted. Empty fields change nothing. Columns are named as
// people read them ("time", "GFLOP/s") or by their keys ("median_s").
struct Selection {
    std::vector<std::string> columns = {};  // in the order to print them
    // Rows by this column: numbers largest first, names by the alphabet, dates newest first; +NAME
    // ascending, -NAME descending. What is missing comes last.
    std::string sort = {};
    std::size_t top = 0;  // rows kept, after sorting

    bool is_everything() const { return columns.empty() && sort.empty() && top == 0; }
};

// Refuses a selection that names what is no column, before anything is computed. Throws Error with
// exit code usage and the choices.
void require_columns(std::span<const Column> columns, const Selection& selection);

// The document with its records (the tables named as the first one that is, or, without any, the
// first table) cut to the selection; their totals, and all other tables, stay. Throws Error as
// require_columns.
Document select(Document document, const Selection& selection);

}  // namespace strata
