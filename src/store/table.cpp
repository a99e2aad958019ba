// SPDX-License-Identifier: MIT
#include "store/table.h"

#include "base/text.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::string set_columns(const std::vector<ColumnLayout>& columns, std::string_view separator) {
    std::vector<std::string> set;
    for (const ColumnLayout& column : columns) {
        set.push_back(fmt::format("{} = ?", column.name));
    }
    return join(set, separator);
}

}  // namespace

std::string insert_sql(const TableLayout& table) {
    std::vector<std::string> names, marks;
    for (const auto& part : table.parts) {
        for (const ColumnLayout& column : part) {
            names.emplace_back(column.name);
            marks.emplace_back("?");
        }
    }
    return fmt::format("INSERT {}INTO {} ({}) VALUES ({}){}",
                       table.conflict == KeyConflict::replace ? "OR REPLACE " : "", table.name,
                       join(names, ", "), join(marks, ", "),
                       table.conflict == KeyConflict::keep ? " ON CONFLICT DO NOTHING" : "");
}

std::string update_sql(const TableLayout& table, std::size_t part) {
    return fmt::format("UPDATE {} SET {} WHERE {}", table.name,
                       set_columns(table.parts.at(part), ", "),
                       set_columns(table.parts.front(), " AND "));
}

std::string select_sql(const TableLayout& table, std::string_view condition) {
    std::vector<std::string> values;
    for (const auto& part : table.parts) {
        for (const ColumnLayout& column : part) {
            values.push_back(column.is_shared
                                 ? fmt::format("(SELECT value FROM text WHERE text.id = {}.{})",
                                               table.name, column.name)
                                 : fmt::format("{}.{}", table.name, column.name));
        }
    }
    return fmt::format("SELECT {} FROM {} {}", join(values, ", "), table.name, condition);
}

std::string delete_sql(const TableLayout& table) {
    return fmt::format("DELETE FROM {} WHERE {} = ?", table.name, table.parts.front().front().name);
}

}  // namespace strata
