// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <vector>

namespace strata {

// The bars as a table, for renderers without pictures: a row each, a column for each series.
Table table_of(const StackedBars& chart);

// A roofline as two tables: its roofs, and its points.
std::vector<Table> tables_of(const RooflineChart& chart);

// The points of all series, a row each.
Table table_of(const XyChart& chart);

}  // namespace strata
