// SPDX-License-Identifier: MIT
#include "report/csv.h"

#include "report/flat.h"
#include "report/unicode.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::string field(std::string_view text) {
    const std::string clean = clean_text(text);
    if (clean.find_first_of(",\"") == std::string::npos) {
        return clean;
    }
    std::string quoted = "\"";
    for (const char letter : clean) {
        quoted += letter;
        if (letter == '"') {
            quoted += '"';
        }
    }
    return quoted + "\"";
}

std::string field_of(const FlatValue& value) {
    if (const auto* number = std::get_if<double>(&value)) {
        return fmt::format("{}", *number);  // the shortest text that reads back as the same number
    }
    const auto* text = std::get_if<std::string>(&value);
    return text ? field(*text) : "";
}

std::string line_of(const std::vector<Cell>& row, const std::vector<FlatColumn>& columns) {
    std::string line;
    for (const auto& column : columns) {
        line += (&column == columns.data() ? "" : ",") + field_of(flat_value(row, column));
    }
    return line + "\n";
}

std::string csv_of(const Table& table) {
    const auto columns = flat_columns(table);
    std::string text;
    for (const auto& column : columns) {
        text += (&column == columns.data() ? "" : ",") + field(column.key);
    }
    text += "\n";
    for (const auto* rows : {&table.rows, &table.totals}) {
        for (const auto& row : *rows) {
            text += line_of(row, columns);
        }
    }
    return text;
}

}  // namespace

std::string render_csv(const Document& document) {
    std::string text;
    for (const auto& block : document.blocks) {
        if (const auto* table = std::get_if<Table>(&block)) {
            text += (text.empty() ? "" : "\n") + csv_of(*table);
        }
    }
    return text;
}

}  // namespace strata
