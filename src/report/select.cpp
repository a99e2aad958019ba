// SPDX-License-Identifier: MIT
#include "report/select.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

std::optional<std::size_t> index_of(const Table& table, const std::string& key) {
    const auto found = std::ranges::find(table.columns, key, &Column::key);
    if (found == table.columns.end()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - table.columns.begin());
}

// Missing cells come last, whatever the order.
bool comes_before(const Cell& a, const Cell& b) {
    if (a.index() != b.index()) {
        return a.index() > b.index();
    }
    if (const auto* number = std::get_if<Number>(&a)) {
        return number->value > std::get<Number>(b).value;
    }
    const auto* text = std::get_if<std::string>(&a);
    return text != nullptr && *text < std::get<std::string>(b);
}

void keep_columns(std::vector<std::vector<Cell>>& rows, const std::vector<std::size_t>& kept) {
    for (auto& row : rows) {
        std::vector<Cell> cells;
        for (const std::size_t column : kept) {
            cells.push_back(row[column]);
        }
        row = std::move(cells);
    }
}

void cut_columns(Table& table, const std::vector<std::string>& keys) {
    std::vector<std::size_t> kept;
    for (const auto& key : keys) {
        if (const auto index = index_of(table, key)) {
            kept.push_back(*index);
        }
    }
    if (kept.empty()) {
        return;
    }
    std::vector<Column> columns;
    for (const std::size_t column : kept) {
        columns.push_back(table.columns[column]);
    }
    table.columns = std::move(columns);
    keep_columns(table.rows, kept);
    keep_columns(table.totals, kept);
}

void sort_rows(Table& table, const std::string& key) {
    if (const auto column = index_of(table, key)) {
        std::ranges::stable_sort(table.rows, comes_before,
                                 [&](const auto& row) -> const Cell& { return row[*column]; });
    }
}

void require_column(const Document& document, const std::string& key) {
    std::vector<std::string> known;
    for (const auto& block : document.blocks) {
        if (const auto* table = std::get_if<Table>(&block)) {
            std::ranges::transform(table->columns, std::back_inserter(known), &Column::key);
        }
    }
    if (std::ranges::find(known, key) == known.end()) {
        throw Error(fmt::format("there is no column '{}': choose from {}", printable(key),
                                join(known, ", ")),
                    ExitCode::usage);
    }
}

}  // namespace

Document select(const Document& document, const Selection& selection) {
    Document selected = document;
    for (const auto& key : selection.columns) {
        require_column(document, key);
    }
    if (!selection.sort.empty()) {
        require_column(document, selection.sort);
    }
    for (auto& block : selected.blocks) {
        auto* table = std::get_if<Table>(&block);
        if (table == nullptr) {
            continue;
        }
        sort_rows(*table, selection.sort);
        if (selection.top > 0 && table->rows.size() > selection.top) {
            table->rows.resize(selection.top);
        }
        cut_columns(*table, selection.columns);
    }
    return selected;
}

}  // namespace strata
