// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The columns of the data: without those for people only, and with the ends of intervals as
// separate columns.
std::vector<Column> data_columns(std::span<const Column> columns);

// The document for scripts: for each name of rows (Table::records), one table with the rows of all
// its tables, in data_columns, with shares as fractions of 1 and without totals or notes. CSV and
// JSON are written from it.
Document data_of(const Document& document);

// The key of an end of a column's interval: low_s of median_s, end_to_end_low_s of end_to_end_s,
// ratio_low of ratio.
std::string key_of_end(std::string_view key, std::string_view end);

}  // namespace strata
