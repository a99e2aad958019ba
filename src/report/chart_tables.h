// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"
#include "report/format.h"

#include <string>
#include <vector>

namespace strata {

// The bars as a table, for renderers without pictures: one row for each bar, one column for each
// series.
Table table_of(const StackedBars& chart);

// The text beside a bar: the sum of its parts, or the sign of a missing value if none is known.
std::string bar_total_text(const StackedBars& chart, std::size_t bar, const Scale& scale);

// A roofline as two tables: its roofs, and its points.
std::vector<Table> tables_of(const RooflineChart& chart);

// The points of all series, one row each.
Table table_of(const XyChart& chart);

}  // namespace strata
