// SPDX-License-Identifier: MIT
#include "report/html_table.h"

#include "report/format.h"
#include "report/table_text.h"
#include "report/unicode.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// The widest part right of the decimal point, by column: the cells' tails are made equally wide.
std::vector<std::size_t> tail_widths(const TableText& table) {
    std::vector<std::size_t> widths(table.columns.size());
    for (const auto* rows : {&table.rows, &table.totals}) {
        for (const auto& row : *rows) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                widths[i] = std::max(widths[i], display_width(row[i].right));
            }
        }
    }
    return widths;
}

std::string title_attribute(const Cell& cell) {
    const auto* missing = std::get_if<Missing>(&cell);
    return missing && !missing->reason.empty()
               ? fmt::format(" title=\"{}\"", escape_html(missing->reason))
               : "";
}

class TableWriter {
public:
    explicit TableWriter(const Table& table)
        : table_(table), text_(text_of(table)), tails_(tail_widths(text_)) {}

    std::string markup() const {
        std::string html = "<div class=\"scroll\"><table class=\"data\"><thead><tr>";
        for (const auto& column : text_.columns) {
            html +=
                fmt::format("<th scope=\"col\"{}>{}</th>",
                            column.numeric ? " class=\"number\"" : "", escape_html(column.title));
        }
        html += "</tr></thead>\n<tbody>\n" + rows(table_.rows, text_.rows) + "</tbody>";
        if (!text_.totals.empty()) {
            html += "\n<tfoot>\n" + rows(table_.totals, text_.totals) + "</tfoot>";
        }
        return html + "</table></div>\n" + notes();
    }

private:
    std::string rows(const std::vector<std::vector<Cell>>& cells,
                     const std::vector<std::vector<TextCell>>& texts) const {
        std::string html;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            html += "<tr>";
            for (std::size_t column = 0; column < cells[i].size(); ++column) {
                html += cell(cells[i][column], texts[i][column], column);
            }
            html += "</tr>\n";
        }
        return html;
    }

    std::string cell(const Cell& cell, const TextCell& text, std::size_t column) const {
        const bool missing = is_missing(cell);
        const bool numeric = text_.columns[column].numeric;
        const auto* number = missing ? nullptr : std::get_if<Number>(&cell);
        const std::string value = number ? fmt::format(" data-value=\"{}\"", number->value) : "";
        return fmt::format("<td class=\"{}{}\"{}{}>{}</td>", numeric ? "number" : "text",
                           missing ? " missing" : "", value, title_attribute(cell),
                           numeric ? aligned(text, column) : escape_html(text.whole()));
    }

    std::string aligned(const TextCell& text, std::size_t column) const {
        if (tails_[column] == 0) {
            return escape_html(text.left);
        }
        return fmt::format("{}<span class=\"tail\" style=\"width:{}ch\">{}</span>",
                           escape_html(text.left), tails_[column], escape_html(text.right));
    }

    std::string notes() const {
        if (text_.notes.empty()) {
            return "";
        }
        std::string html = "<ul class=\"notes\">";
        for (const auto& note : text_.notes) {
            html += "<li>" + escape_html(note) + "</li>";
        }
        return html + "</ul>\n";
    }

    const Table& table_;
    TableText text_;
    std::vector<std::size_t> tails_;
};

}  // namespace

std::string escape_html(std::string_view foreign) {
    std::string safe;
    for (const char letter : clean_text(foreign)) {
        switch (letter) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            case '\'':
                safe += "&#39;";
                break;
            default:
                safe += letter;
        }
    }
    return safe;
}

std::string html_table(const Table& table) {
    return TableWriter(table).markup();
}

}  // namespace strata
