// SPDX-License-Identifier: MIT
#include "report/select.h"

#include "base/error.h"
#include "base/text.h"
#include "report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace strata {

namespace {

std::string lower(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return small;
}

// The heading "time" of "time [ms]".
std::string_view without_unit(std::string_view heading) {
    return heading.ends_with(']') ? trim(heading.substr(0, heading.rfind('['))) : heading;
}

// Whether a name is the unit with any prefix: GFLOP/s for FLOP/s.
bool is_scaled_unit(std::string_view name, std::string_view unit) {
    constexpr std::string_view prefixes = "kMGTPmµn";
    return !unit.empty() &&
           (name == unit ||
            (name.ends_with(unit) &&
             prefixes.find(name.substr(0, name.size() - unit.size())) != std::string_view::npos));
}

bool is_called(const Column& column, std::string_view name) {
    return column.key == name ||
           (!column.title.empty() && lower(column.title) == lower(without_unit(name))) ||
           (column.title.empty() && is_scaled_unit(name, column.unit));
}

// Finds a column by its heading, then by its key, then by the heading of a column for data only.
std::optional<std::size_t> index_of(std::span<const Column> columns, std::string_view name) {
    const auto first_where = [&](auto&& holds) -> std::optional<std::size_t> {
        const auto found = std::ranges::find_if(columns, holds);
        return found == columns.end()
                   ? std::nullopt
                   : std::optional(static_cast<std::size_t>(found - columns.begin()));
    };
    auto index = first_where([&](const Column& column) {
        return column.audience != Audience::data && is_called(column, name);
    });
    if (!index) {
        index = first_where([&](const Column& column) { return column.key == name; });
    }
    return index ? index
                 : first_where([&](const Column& column) { return is_called(column, name); });
}

// "time (median_s)"; only the key if its words are the heading.
std::string heading_of(const Column& column) {
    const std::string& heading = column.title.empty() ? column.unit : column.title;
    std::string words = column.key;
    std::ranges::replace(words, '_', ' ');
    return heading.empty() || heading == words || heading == column.key
               ? column.key
               : fmt::format("{} ({})", heading, column.key);
}

std::size_t require_column(std::span<const Column> columns, std::string_view name) {
    if (const auto index = index_of(columns, name)) {
        return *index;
    }
    std::vector<std::string> known;
    for (const Column& column : columns) {
        if (const auto heading = heading_of(column);
            std::ranges::find(known, heading) == known.end()) {
            known.push_back(heading);
        }
    }
    throw Error(
        fmt::format("there is no column '{}': choose from {}", printable(name), join(known, ", ")),
        ExitCode::usage);
}

// A requested order: "+time" ascends, "-time" descends, "time" uses its column's default.
struct Sorting {
    std::string_view name;
    char sign = 0;
};

Sorting sorting_of(std::string_view text) {
    const bool is_signed = text.starts_with('+') || text.starts_with('-');
    return is_signed ? Sorting{text.substr(1), text.front()} : Sorting{text};
}

bool ascends(const Sorting& sorting, const Column& column, const Cell& cell) {
    return sorting.sign == 0
               ? std::holds_alternative<std::string>(cell) && column.order == Order::usual
               : sorting.sign == '+';
}

// Numbers come before texts, and missing values last, whatever the order.
int rank_of(const Cell& cell) {
    return value_in(cell) ? 0 : std::holds_alternative<std::string>(cell) ? 1 : 2;
}

bool comes_before(const Cell& a, const Cell& b, bool ascending) {
    if (rank_of(a) != rank_of(b)) {
        return rank_of(a) < rank_of(b);
    }
    const Cell& smaller = ascending ? a : b;
    const Cell& larger = ascending ? b : a;
    if (const auto* text = std::get_if<std::string>(&smaller)) {
        return *text < std::get<std::string>(larger);
    }
    return value_in(smaller) < value_in(larger);
}

void keep_columns(std::vector<std::vector<Cell>>& rows, const std::vector<std::size_t>& kept) {
    for (auto& row : rows) {
        std::vector<Cell> cells;
        for (const std::size_t column : kept) {
            cells.push_back(row[column]);  // a column may be requested twice
        }
        row = std::move(cells);
    }
}

// Makes requested columns essential, so that a narrow terminal does not drop them.
void cut_columns(Table& table, const std::vector<std::string>& names) {
    std::vector<std::size_t> kept;
    std::vector<Column> columns;
    for (const auto& name : names) {
        kept.push_back(require_column(table.columns, name));
        columns.push_back(table.columns[kept.back()]);
        columns.back().importance = Importance::essential;
        columns.back().audience = Audience::all;
    }
    table.columns = std::move(columns);
    keep_columns(table.rows, kept);
    keep_columns(table.totals, kept);
}

void sort_rows(Table& table, std::string_view wanted) {
    const Sorting sorting = sorting_of(wanted);
    const std::size_t at = require_column(table.columns, sorting.name);
    std::ranges::stable_sort(table.rows, [&](const auto& a, const auto& b) {
        return comes_before(a[at], b[at], ascends(sorting, table.columns[at], a[at]));
    });
}

void cut(Table& table, const Selection& selection) {
    require_columns(table.columns, selection);
    if (!selection.sort.empty()) {
        sort_rows(table, selection.sort);
    }
    if (selection.top > 0 && table.rows.size() > selection.top) {
        table.rows.resize(selection.top);
    }
    // A tree whose rows are reordered, or that lacks its first columns, becomes a flat table: every
    // row has all its names.
    if (!selection.sort.empty() || !selection.columns.empty()) {
        table.levels.clear();
    }
    table.levels.resize(std::min(table.levels.size(), table.rows.size()));
    if (!selection.columns.empty()) {
        cut_columns(table, selection.columns);
    }
}

// The tables with the document's records: those with the name of the first one.
std::vector<Table*> records_of(Document& document) {
    std::vector<Table*> tables;
    for (auto& block : document.blocks) {
        if (auto* table = std::get_if<Table>(&block)) {
            tables.push_back(table);
        }
    }
    const auto first =
        std::ranges::find_if(tables, [](const Table* table) { return !table->records.empty(); });
    if (first == tables.end()) {
        tables.resize(std::min<std::size_t>(tables.size(), 1));
        return tables;
    }
    const std::string name = (*first)->records;
    std::erase_if(tables, [&](const Table* table) { return table->records != name; });
    return tables;
}

}  // namespace

void require_columns(std::span<const Column> columns, const Selection& selection) {
    for (const auto& name : selection.columns) {
        require_column(columns, name);
    }
    if (!selection.sort.empty()) {
        require_column(columns, sorting_of(selection.sort).name);
    }
}

Document select(Document document, const Selection& selection) {
    for (Table* table : records_of(document)) {
        cut(*table, selection);
    }
    return document;
}

}  // namespace strata
