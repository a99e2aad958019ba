// SPDX-License-Identifier: MIT
#include "report/render.h"

#include "base/text.h"
#include "report/format.h"
#include "report/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

// Spreadsheets run text that begins like this, even after blanks; some also accept the full-width
// signs. Numbers are not formulas.
bool is_formula(std::string_view text) {
    constexpr std::array<std::string_view, 8> signs = {"=", "+", "-", "@", "＝", "＋", "－", "＠"};
    const std::string_view begin = trim(text);
    const bool is_number = parse_number(begin.substr(begin.starts_with('+') ? 1 : 0)).has_value();
    const bool is_blank = !text.empty() && (text.front() == '\t' || text.front() == '\r');
    return is_blank || (!is_number && std::ranges::any_of(signs, [&](const auto& sign) {
               return begin.starts_with(sign);
           }));
}

std::string field(std::string_view text, FormulaText formulas) {
    const bool is_marked = formulas == FormulaText::marked && is_formula(text);
    const std::string clean = (is_marked ? "'" : "") + clean_text(text);
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

std::string field_of(const Cell& cell, FormulaText formulas) {
    if (is_missing(cell)) {
        return "";
    }
    if (const auto* text = std::get_if<std::string>(&cell)) {
        return field(*text, formulas);
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

std::string render_csv(const Document& data, FormulaText formulas) {
    if (data.blocks.empty()) {
        return "";
    }
    const auto& table = std::get<Table>(data.blocks.front());
    std::string text =
        line_of(table.columns, [&](const Column& column) { return field(column.key, formulas); });
    for (const auto& row : table.rows) {
        text += line_of(row, [&](const Cell& cell) { return field_of(cell, formulas); });
    }
    return text;
}

}  // namespace strata
