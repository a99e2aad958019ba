// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"
#include "op/work.h"
#include "report/data.h"
#include "report/document.h"
#include "report/json.h"
#include "view/cells.h"

#include <nlohmann/json.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace strata {

// A value as a cell: names of enumerators, counts of integers, units of quantities; missing if an
// optional is empty.
template <class Value>
Cell as_cell(Value&& value) {
    using Plain = std::remove_cvref_t<Value>;
    if constexpr (std::same_as<Plain, bool>) {
        return flag_cell(value);
    } else if constexpr (std::integral<Plain>) {
        return count_cell(static_cast<double>(value));
    } else if constexpr (std::floating_point<Plain>) {
        return number_cell(value, "");
    } else if constexpr (NamedEnumeration<Plain> || std::same_as<Plain, Pass>) {
        return std::string(name_of(value));
    } else if constexpr (std::same_as<Plain, Seconds>) {
        return time_cell(value);
    } else if constexpr (std::same_as<Plain, Bytes>) {
        return bytes_cell(value);
    } else if constexpr (std::same_as<Plain, Flops>) {
        return flops_cell(value);
    } else if constexpr (std::same_as<Plain, Ratio>) {
        return ratio_cell(value);
    } else if constexpr (std::convertible_to<Plain, Cell>) {
        return Cell(std::forward<Value>(value));
    } else if constexpr (std::convertible_to<Plain, std::string_view>) {
        return std::string(std::string_view(value));
    } else {
        return value ? as_cell(*value) : Cell(Missing{});
    }
}

// A column and the cell of each row in it, so that no cell can stand in another's column.
template <class Row>
struct ColumnOf {
    // `value`: a member of a row, or a function of a row.
    template <class Value>
    ColumnOf(Column its_column, Value value)
        : column(std::move(its_column)),
          cell([value](const Row& row) { return as_cell(std::invoke(value, row)); }) {}

    Column column;
    std::function<Cell(const Row&)> cell;
};

// What people and scripts see of a kind of row: its table, its CSV and its JSON follow from it.
template <class Row>
using Columns = std::vector<ColumnOf<Row>>;

template <class Row>
std::vector<Column> headings(const Columns<Row>& columns) {
    std::vector<Column> all;
    for (const ColumnOf<Row>& one : columns) {
        all.push_back(one.column);
    }
    return all;
}

template <class Row>
std::vector<Cell> cells_of(const Columns<Row>& columns, const Row& row) {
    std::vector<Cell> cells;
    cells.reserve(columns.size());
    for (const ColumnOf<Row>& one : columns) {
        cells.push_back(one.cell(row));
    }
    return cells;
}

// A table of rows; `rest` has its title, notes and the name of its rows in data.
template <class Row, class Rows>
Table table_of(const Columns<Row>& columns, const Rows& rows, Table rest = {}) {
    rest.columns = headings(columns);
    for (const Row& row : rows) {
        rest.rows.push_back(cells_of(columns, row));
    }
    return rest;
}

}  // namespace strata
