// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The columns as data has them: those for people alone are gone, and the ends of intervals are
// columns of their own.
std::vector<Column> data_columns(std::span<const Column> columns);

// What a document holds for scripts: of each name that tables have for their rows (Table::records)
// one table with the rows of all of them, in data_columns, shares as fractions of 1 and without
// totals or notes. CSV and JSON are written from it.
Document data_of(const Document& document);

// What data calls the ends of a column's intervals: low_s of median_s, end_to_end_low_s of
// end_to_end_s, ratio_low of ratio.
std::string key_of_end(std::string_view key, std::string_view end);

}  // namespace strata
