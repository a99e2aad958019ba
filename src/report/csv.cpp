// SPDX-License-Identifier: MIT
#include "report/render.h"

#include "report/format.h"
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

std::string field_of(const Cell& cell) {
    if (is_missing(cell)) {
        return "";
    }
    if (const auto* text = std::get_if<std::string>(&cell)) {
        return field(*text);
    }
    if (const auto* verbatim = std::get_if<Verbatim>(&cell)) {
        return verbatim->text;
    }
    // The shortest text that reads back as the same number.
    return fmt::format("{}", std::get<Number>(cell).value);
}

template <class Items, class Text>
std::string line_of(const Items& items, Text text) {
    std::string line;
    for (const auto& item : items) {
        line += (&item == items.data() ? "" : ",") + text(item);
    }
    return line + "\n";
}

}  // namespace

std::string render_csv(const Document& data) {
    if (data.blocks.empty()) {
        return "";
    }
    const auto& table = std::get<Table>(data.blocks.front());
    std::string text =
        line_of(table.columns, [](const Column& column) { return field(column.key); });
    for (const auto& row : table.rows) {
        text += line_of(row, field_of);
    }
    return text;
}

}  // namespace strata
