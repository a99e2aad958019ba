// SPDX-License-Identifier: MIT
#include "report/table_text.h"

#include "base/error.h"
#include "report/format.h"
#include "report/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

namespace strata {

namespace {

using Rows = std::vector<std::vector<Cell>>;

const Number* number_in(const Cell& cell) {
    return is_missing(cell) ? nullptr : std::get_if<Number>(&cell);
}

// Calls visit(number) for every number of a column.
template <class Visitor>
void for_each_number(const Rows& rows, std::size_t column, Visitor&& visit) {
    for (const auto& row : rows) {
        if (const auto* number = number_in(row[column])) {
            visit(*number);
        }
    }
}

bool holds_numbers(const Rows& rows, std::size_t column) {
    return std::ranges::any_of(rows, [&](const auto& row) {
        return std::holds_alternative<Number>(row[column]) ||
               std::holds_alternative<Verbatim>(row[column]);
    });
}

bool holds_text(const Rows& rows, std::size_t column) {
    return std::ranges::any_of(
        rows, [&](const auto& row) { return std::holds_alternative<std::string>(row[column]); });
}

// The common scale of a column, chosen by its largest row (by totals only if there are no rows);
// empty if units differ or texts are among the numbers. A quarter of the largest decides, so that
// 1.2 s among many 30 ms reads 1200 ms. Columns that are read together share their scale.
std::optional<Scale> scale_of(const Table& table, std::size_t column) {
    const std::string& word = table.columns[column].read_with;
    std::set<std::string> units;
    double row_magnitude = 0, total_magnitude = 0;
    const auto note = [&](double& magnitude) {
        return [&](const Number& number) {
            units.insert(number.unit);
            magnitude = std::max(magnitude, std::abs(number.value));
        };
    };
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (i == column || (!word.empty() && table.columns[i].read_with == word)) {
            for_each_number(table.rows, i, note(row_magnitude));
            for_each_number(table.totals, i, note(total_magnitude));
        }
    }
    if (units.size() != 1 || holds_text(table.rows, column)) {
        return std::nullopt;
    }
    return scale_for(*units.begin(), (row_magnitude > 0 ? row_magnitude : total_magnitude) / 4);
}

std::string title_of(const Column& column, const std::optional<Scale>& scale) {
    const std::string title = clean_text(column.title);
    if (!scale || scale->unit.empty()) {
        return title;
    }
    return title.empty() ? scale->unit : fmt::format("{} [{}]", title, scale->unit);
}

std::string superscript(std::size_t number) {
    constexpr std::array<std::string_view, 10> digits = {"⁰", "¹", "²", "³", "⁴",
                                                         "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text;
    for (const char digit : std::to_string(number)) {
        text += digits[static_cast<std::size_t>(digit - '0')];
    }
    return text;
}

// Turns one table's cells into text and remembers what its notes must explain.
class Writer {
public:
    explicit Writer(const Table& table) : table_(table) {
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            scales_.push_back(scale_of(table, i));
            if (table.columns[i].audience != Audience::data) {
                shown_.push_back(i);
            }
        }
    }

    TableText write() {
        TableText text;
        text.title = clean_text(table_.title);
        for (const std::size_t i : shown_) {
            text.columns.push_back(column(i));
        }
        text.rows = rows(table_.rows);
        const std::size_t depth = table_.levels.empty() ? 0 : std::ranges::max(table_.levels) + 1;
        for (std::size_t row = 0; row < table_.levels.size(); ++row) {
            for (std::size_t column = 0; column < depth; ++column) {
                if (column != table_.levels[row]) {
                    text.rows.at(row).at(column) = {};
                }
            }
        }
        text.totals = rows(table_.totals);
        text.notes = notes();
        return text;
    }

private:
    TextColumn column(std::size_t i) const {
        const bool numbers = holds_numbers(table_.rows, i) || holds_numbers(table_.totals, i);
        return {title_of(table_.columns[i], scales_[i]), table_.columns[i].importance,
                numbers && !holds_text(table_.rows, i)};
    }

    std::vector<std::vector<TextCell>> rows(const Rows& rows) {
        std::vector<std::vector<TextCell>> texts;
        for (const auto& row : rows) {
            check(row.size() == table_.columns.size(), "a table's row has a cell for each column");
            texts.emplace_back().reserve(shown_.size());
            for (const std::size_t i : shown_) {
                texts.back().push_back(cell(row[i], i));
            }
        }
        return texts;
    }

    TextCell cell(const Cell& cell, std::size_t column) {
        if (is_missing(cell)) {
            const auto* missing = std::get_if<Missing>(&cell);
            return {"–", missing ? footnote(missing->reason) : ""};
        }
        if (const auto* text = std::get_if<std::string>(&cell)) {
            return {clean_text(*text), ""};
        }
        if (const auto* verbatim = std::get_if<Verbatim>(&cell)) {
            return at_point(verbatim->text);
        }
        return number(std::get<Number>(cell), column);
    }

    TextCell number(const Number& number, std::size_t column) {
        provenances_.insert(number.provenance);
        const auto& scale = scales_[column];
        return at_point(scale ? number_text(number, *scale) : number_text(number));
    }

    static TextCell at_point(const std::string& text) {
        const auto cut = std::min(text.find_first_of(". "), text.size());
        return {text.substr(0, cut), text.substr(cut)};
    }

    std::string footnote(const std::string& reason) {
        if (reason.empty()) {
            return "";
        }
        auto found = std::ranges::find(reasons_, reason);
        if (found == reasons_.end()) {
            found = reasons_.insert(found, reason);
        }
        return superscript(static_cast<std::size_t>(found - reasons_.begin()) + 1);
    }

    std::vector<std::string> notes() const {
        std::vector<std::string> notes;
        for (const auto& note : table_.notes) {
            notes.push_back(clean_text(note));
        }
        for (std::size_t i = 0; i < reasons_.size(); ++i) {
            notes.push_back(superscript(i + 1) + " " + clean_text(reasons_[i]));
        }
        if (provenances_.contains(Provenance::modelled)) {
            notes.emplace_back("≈ modelled, not measured");
        }
        if (provenances_.contains(Provenance::imported)) {
            notes.emplace_back("' imported, not measured here");
        }
        return notes;
    }

    const Table& table_;
    std::vector<std::size_t> shown_;  // the columns that are not only for data
    std::vector<std::optional<Scale>> scales_;
    std::vector<std::string> reasons_;
    std::set<Provenance> provenances_;
};

}  // namespace

Table for_people(const Table& table) {
    Table shown = table;
    for (std::size_t i = table.columns.size(); i-- > 0;) {
        if (table.columns[i].audience == Audience::data) {
            const auto at = static_cast<std::ptrdiff_t>(i);
            shown.columns.erase(shown.columns.begin() + at);
            for (auto* rows : {&shown.rows, &shown.totals}) {
                for (auto& row : *rows) {
                    row.erase(row.begin() + at);
                }
            }
        }
    }
    return shown;
}

bool is_for_data_alone(const Block& block) {
    const auto* table = std::get_if<Table>(&block);
    return table != nullptr && !table->columns.empty() &&
           std::ranges::all_of(table->columns, [](const Column& column) {
               return column.audience == Audience::data;
           });
}

TableText text_of(const Table& table) {
    return Writer(table).write();
}

}  // namespace strata
