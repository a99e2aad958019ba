// SPDX-License-Identifier: MIT
#include "report/html_blocks.h"

#include "base/text.h"
#include "report/format.h"
#include "report/table_text.h"
#include "report/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace strata {

namespace {

constexpr std::size_t max_line_width = 34;  // in characters; longer texts wrap

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

// The number that fills a bar, by column; 0 if there are no bars.
std::vector<double> full_bars(const Table& table) {
    std::vector<double> full(table.columns.size());
    for (std::size_t i = 0; i < full.size(); ++i) {
        if (table.columns[i].form == CellForm::gauge) {
            full[i] = 100;
        }
        for (const auto& row : table.rows) {
            const auto number = value_in(row[i]);
            if (number && table.columns[i].form == CellForm::bar) {
                full[i] = std::max(full[i], *number);
            }
        }
    }
    return full;
}

// The number with the darkest shade: the largest of all shaded columns that are read together.
std::vector<double> darkest_shades(const Table& table) {
    std::map<std::string_view, double> largest;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        for (const auto& row : table.rows) {
            const auto number = value_in(row[i]);
            if (number && table.columns[i].form == CellForm::shade) {
                double& most = largest[table.columns[i].read_with];
                most = std::max(most, *number);
            }
        }
    }
    std::vector<double> darkest(table.columns.size());
    for (std::size_t i = 0; i < darkest.size(); ++i) {
        const bool is_shaded = table.columns[i].form == CellForm::shade;
        darkest[i] = is_shaded ? largest[table.columns[i].read_with] : 0;
    }
    return darkest;
}

class TableWriter {
public:
    explicit TableWriter(const Table& table)
        : table_(for_people(table)),
          text_(text_of(table_)),
          tails_(tail_widths(text_)),
          full_bars_(full_bars(table_)),
          darkest_(darkest_shades(table_)),
          depth_(table_.levels.empty() ? 0 : std::ranges::max(table_.levels) + 1) {}

    std::string markup() const {
        std::string html = fmt::format("<div class=\"scroll\"><table class=\"data{}\"><thead><tr>",
                                       table_.levels.empty() ? "" : " tree");
        html += tree_header();
        for (std::size_t i = depth_; i < text_.columns.size(); ++i) {
            const TextColumn& column = text_.columns[i];
            html +=
                fmt::format("<th scope=\"col\"{}>{}</th>",
                            column.numeric ? " class=\"number\"" : "", escape_html(column.title));
        }
        html += "</tr></thead>\n<tbody>\n" + rows(table_.rows, text_.rows, true) + "</tbody>";
        if (!text_.totals.empty()) {
            html += "\n<tfoot>\n" + rows(table_.totals, text_.totals, false) + "</tfoot>";
        }
        return html + "</table></div>\n" + notes();
    }

private:
    // A tree's names share one column, indented.
    std::string tree_header() const {
        if (depth_ == 0) {
            return "";
        }
        std::vector<std::string> titles;
        for (std::size_t i = 0; i < depth_; ++i) {
            titles.push_back(text_.columns[i].title);
        }
        return "<th scope=\"col\">" + escape_html(join(titles, " › ")) + "</th>";
    }

    std::string tree_name(std::size_t row, const std::vector<TextCell>& texts) const {
        const std::size_t column = row < table_.levels.size() ? table_.levels[row] : 0;
        return "<td class=\"text\">" + escape_html(texts[column].whole()) + "</td>";
    }

    std::string rows(const std::vector<std::vector<Cell>>& cells,
                     const std::vector<std::vector<TextCell>>& texts, bool in_body) const {
        std::string html;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            html += in_body && i < table_.levels.size()
                        ? fmt::format("<tr data-level=\"{}\" style=\"--level:{}\">",
                                      table_.levels[i], table_.levels[i])
                        : "<tr>";
            html += depth_ > 0 ? tree_name(in_body ? i : table_.levels.size(), texts[i]) : "";
            for (std::size_t column = depth_; column < cells[i].size(); ++column) {
                html += cell(cells[i][column], texts[i][column], column,
                             in_body ? full_bars_[column] : 0);
            }
            html += "</tr>\n";
        }
        return html;
    }

    // `full` is the number that fills the bar, 0 for no bar.
    std::string cell(const Cell& cell, const TextCell& text, std::size_t column,
                     double full) const {
        const bool missing = is_missing(cell);
        const bool numeric = text_.columns[column].numeric;
        const auto number = value_in(cell);
        const std::string value = number ? fmt::format(" data-value=\"{}\"", *number) : "";
        const bool bar = number && full > 0;
        const bool shaded = number && darkest_[column] > 0 && full == 0;
        const std::string length =
            shaded ? fmt::format(" style=\"--shade:{:.1f}%\"",
                                 100 * std::clamp(*number / darkest_[column], 0.0, 1.0))
            : bar  ? fmt::format(" style=\"--bar-length:{:.1f}%\"",
                                 100 * std::clamp(*number / full, 0.0, 1.0))
                   : "";
        const bool wraps = !numeric && display_width(text.whole()) > max_line_width;
        return fmt::format("<td class=\"{}{}{}{}\"{}{}{}>{}</td>", numeric ? "number" : "text",
                           wraps ? " long" : "",
                           shaded ? " shade"
                           : bar  ? " bar"
                                  : "",
                           missing ? " missing" : "", value, length, title_attribute(cell),
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

    Table table_;
    TableText text_;
    std::vector<std::size_t> tails_;
    std::vector<double> full_bars_;
    std::vector<double> darkest_;
    std::size_t depth_;  // columns that hold the names of a tree, 0 for a flat table
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
