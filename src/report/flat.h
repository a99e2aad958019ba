// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

// What of a cell a machine-readable column holds.
enum class CellPart { value, low, high, provenance };

// A column of CSV or JSON: a column of the table, or what its numbers carry beside their value.
struct FlatColumn {
    std::string key;  // "median_s", "median_s_low", "median_s_high", "median_s_provenance"
    std::size_t source = 0;
    CellPart part = CellPart::value;
};

// The table's columns, each followed by interval bounds where any of its numbers has an interval,
// and by the provenance where any is modelled or imported.
std::vector<FlatColumn> flat_columns(const Table& table);

// Nothing, text, or a finite number.
using FlatValue = std::variant<std::monostate, std::string, double>;

FlatValue flat_value(const std::vector<Cell>& row, const FlatColumn& column);

}  // namespace strata
