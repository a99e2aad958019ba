// SPDX-License-Identifier: MIT
#include "report/data.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace strata {

namespace {

// Converts a cell of a row to its form in data.
using Reading = std::function<Cell(const Cell&)>;

// One column of the data, and what it takes from which column of the table.
struct DataColumn {
    Column column;
    std::size_t source = 0;
    Reading read;
};

Cell plain(const Number& number, std::optional<double> value) {
    if (!value) {
        return Missing{};
    }
    const bool is_share = number.unit == "%";
    return Number{.value = is_share ? *value / 100 : *value,
                  .unit = is_share ? std::string() : number.unit,
                  .provenance = number.provenance};
}

Cell value_of(const Cell& cell) {
    const auto* number = std::get_if<Number>(&cell);
    return number == nullptr ? cell : plain(*number, number->value);
}

Cell low_of(const Cell& cell) {
    const auto* number = std::get_if<Number>(&cell);
    return number == nullptr ? Cell(Missing{}) : plain(*number, number->low);
}

Cell high_of(const Cell& cell) {
    const auto* number = std::get_if<Number>(&cell);
    return number == nullptr ? Cell(Missing{}) : plain(*number, number->high);
}

Column end_of(const Column& column, std::string_view end) {
    const std::string key = key_of_end(column.key, end);
    return {key, key, column.importance, Audience::data};
}

std::vector<DataColumn> expanded(std::span<const Column> columns) {
    std::vector<DataColumn> data;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& column = columns[i];
        if (column.audience == Audience::people) {
            continue;
        }
        data.push_back({column, i, value_of});
        data.back().column.bounds = Bounds::none;
        data.back().column.audience = Audience::data;
        if (column.bounds == Bounds::interval) {
            data.push_back({end_of(column, "low"), i, low_of});
            data.push_back({end_of(column, "high"), i, high_of});
        }
    }
    return data;
}

Table& table_named(Document& document, const std::string& records) {
    for (Block& block : document.blocks) {
        if (std::get<Table>(block).records == records) {
            return std::get<Table>(block);
        }
    }
    return std::get<Table>(document.blocks.emplace_back(Table{.records = records}));
}

void append(Table& data, const Table& table) {
    const auto columns = expanded(table.columns);
    if (data.columns.empty()) {
        std::ranges::transform(columns, std::back_inserter(data.columns), &DataColumn::column);
    }
    check(std::ranges::equal(data.columns, columns, {}, &Column::key,
                             [](const DataColumn& one) { return one.column.key; }),
          "tables that are one list have the same columns");
    for (const auto& row : table.rows) {
        auto& cells = data.rows.emplace_back();
        for (const DataColumn& column : columns) {
            cells.push_back(column.read(row[column.source]));
        }
    }
}

}  // namespace

std::vector<Column> data_columns(std::span<const Column> columns) {
    std::vector<Column> data;
    std::ranges::transform(expanded(columns), std::back_inserter(data), &DataColumn::column);
    return data;
}

Document data_of(const Document& document) {
    Document data{.title = document.title, .kind = document.kind};
    for (const Block& block : document.blocks) {
        const auto* table = std::get_if<Table>(&block);
        if (table != nullptr && !table->records.empty()) {
            append(table_named(data, table->records), *table);
        }
    }
    return data;
}

std::string key_of_end(std::string_view key, std::string_view end) {
    constexpr std::string_view median = "median";
    if (key.starts_with(median)) {
        return fmt::format("{}{}", end, key.substr(median.size()));
    }
    for (const std::string_view unit : {"_per_s", "_s", "_bytes"}) {
        if (key.ends_with(unit)) {
            return fmt::format("{}_{}{}", key.substr(0, key.size() - unit.size()), end, unit);
        }
    }
    return fmt::format("{}_{}", key, end);
}

}  // namespace strata
