// SPDX-License-Identifier: MIT
#include "report/terminal_blocks.h"

#include "base/text.h"
#include "report/table_text.h"
#include "report/unicode.h"

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

using TextRow = std::vector<TextCell>;

constexpr std::size_t gap = 2;             // blanks between columns
constexpr std::size_t readable_text = 20;  // a name is shortened to this before a column is dropped
constexpr std::size_t min_text_width = 12;  // and to this if that was not enough
// Whatever the terminal: a foreign text must not push its neighbours out of sight.
constexpr std::size_t max_text_width = 120;
constexpr std::size_t max_last_width = 300;  // at the end of a line, where texts wrap

void adapt(std::vector<TextRow>& rows, const TerminalStyle& style) {
    for (auto& row : rows) {
        for (auto& cell : row) {
            cell = {adapted(cell.left, style), adapted(cell.right, style)};
        }
    }
}

// The width that a column needs: numbers align at their point, so left and right parts are
// separate.
struct Widths {
    std::size_t left = 0;
    std::size_t right = 0;
    std::size_t total = 0;
};

class Layout {
public:
    Layout(TableText table, const TerminalStyle& style) : table_(std::move(table)), style_(style) {
        adapt(table_.rows, style);
        adapt(table_.totals, style);
        for (std::size_t i = 0; i < table_.columns.size(); ++i) {
            table_.columns[i].title = adapted(table_.columns[i].title, style);
            widths_.push_back(widths_of(i));
            shown_.push_back(i);
        }
        limit_texts();
        fit();
    }

    std::string text() const {
        std::string text;
        if (!table_.title.empty()) {
            const std::string title = adapted(table_.title, style_);
            text +=
                bold(style_.width == 0 ? title : wrap(title, style_.width, "  "), style_) + "\n";
        }
        text += header() + rule();
        for (const auto& row : table_.rows) {
            text += line(row);
        }
        text += table_.totals.empty() ? "" : rule();
        for (const auto& row : table_.totals) {
            text += line(row);
        }
        return text + notes();
    }

private:
    Widths widths_of(std::size_t column) const {
        Widths widths;
        for (const auto* rows : {&table_.rows, &table_.totals}) {
            for (const auto& row : *rows) {
                widths.left = std::max(widths.left, display_width(row[column].left));
                widths.right = std::max(widths.right, display_width(row[column].right));
            }
        }
        widths.total =
            std::max(widths.left + widths.right, display_width(table_.columns[column].title));
        return widths;
    }

    std::size_t line_width() const {
        const std::size_t gaps = shown_.empty() ? 0 : (shown_.size() - 1) * gap;
        return std::accumulate(
            shown_.begin(), shown_.end(), gaps,
            [&](std::size_t sum, std::size_t i) { return sum + widths_[i].total; });
    }

    bool too_wide() const { return style_.width != 0 && line_width() > style_.width; }

    void limit_texts() {
        for (std::size_t i = 0; i < widths_.size(); ++i) {
            const bool is_last = i + 1 == widths_.size();
            const std::size_t limit = std::max(is_last ? max_last_width : max_text_width,
                                               display_width(table_.columns[i].title));
            if (!table_.columns[i].numeric && widths_[i].total > limit) {
                widths_[i].total = limit;
                if (!is_last && style_.width == 0) {
                    shortened_.push_back(table_.columns[i].title);
                }
            }
        }
    }

    void fit() {
        drop(Importance::detail);
        shorten_texts(readable_text);
        drop(Importance::normal);
        shorten_texts(min_text_width);
    }

    // The widest text column shrinks first, down to what its header and readability allow.
    void shorten_texts(std::size_t limit) {
        while (too_wide()) {
            auto widest = std::ranges::max_element(shown_, {}, [&](std::size_t i) {
                return table_.columns[i].numeric ? 0 : widths_[i].total;
            });
            const std::size_t minimum =
                std::max(limit, display_width(table_.columns[*widest].title));
            if (table_.columns[*widest].numeric || widths_[*widest].total <= minimum) {
                return;
            }
            --widths_[*widest].total;
        }
    }

    // Drops columns from the right, one at a time, only as many as needed.
    void drop(Importance importance) {
        for (std::size_t at = shown_.size(); at-- > 0 && too_wide();) {
            const TextColumn& column = table_.columns[shown_[at]];
            if (column.importance == importance) {
                dropped_.insert(dropped_.begin(), column.title);
                shown_.erase(shown_.begin() + static_cast<std::ptrdiff_t>(at));
            }
        }
    }

    // Wraps a text at the end of the line, continuing below itself.
    std::string wrapped(const TextCell& cell, std::size_t column) const {
        const std::size_t width = widths_[column].total;
        const std::string lines = wrap(cell.whole(), width);
        std::string text;
        for (const std::string_view line : split(lines, '\n')) {
            text += (text.empty() ? "" : "\n" + repeat(" ", line_width() - width)) +
                    adapted(shorten(line, width), style_);
        }
        return text;
    }

    std::string padded(const TextCell& cell, std::size_t column) const {
        const Widths& widths = widths_[column];
        if (!table_.columns[column].numeric && column == shown_.back()) {
            return wrapped(cell, column);
        }
        if (!table_.columns[column].numeric) {
            const std::string text = adapted(shorten(cell.whole(), widths.total), style_);
            return text + repeat(" ", widths.total - display_width(text));
        }
        const std::size_t before = widths.total - widths.right - display_width(cell.left);
        const std::size_t after = widths.right - display_width(cell.right);
        return repeat(" ", before) + cell.left + cell.right + repeat(" ", after);
    }

    std::string line(const TextRow& row) const {
        std::string text;
        for (const std::size_t i : shown_) {
            text += (i == shown_.front() ? "" : repeat(" ", gap)) + padded(row[i], i);
        }
        return text.erase(text.find_last_not_of(' ') + 1) + "\n";
    }

    std::string header() const {
        std::string text;
        for (const std::size_t i : shown_) {
            const std::string& title = table_.columns[i].title;
            const std::string fill = repeat(" ", widths_[i].total - display_width(title));
            text += i == shown_.front() ? "" : repeat(" ", gap);
            text += table_.columns[i].numeric ? fill + title : title + fill;
        }
        return bold(text.erase(text.find_last_not_of(' ') + 1), style_) + "\n";
    }

    std::string rule() const {
        std::string text;
        for (const std::size_t i : shown_) {
            text += (i == shown_.front() ? "" : repeat(" ", gap)) +
                    repeat(style_.unicode ? "─" : "-", widths_[i].total);
        }
        return dim(text, style_) + "\n";
    }

    std::string notes() const {
        std::string text;
        for (const auto& note : table_.notes) {
            text += note_line(adapted(note, style_));
        }
        if (!shortened_.empty()) {
            text += note_line("(too long to show whole: " + join(shortened_, ", ") + ")");
        }
        if (!dropped_.empty()) {
            text += note_line("(too narrow for: " + join(dropped_, ", ") + ")");
        }
        return text;
    }

    std::string note_line(const std::string& note) const {
        return dim(style_.width == 0 ? note : wrap(note, style_.width, "  "), style_) + "\n";
    }

    TableText table_;
    TerminalStyle style_;
    std::vector<Widths> widths_;
    std::vector<std::size_t> shown_;
    std::vector<std::string> dropped_;
    std::vector<std::string> shortened_;  // columns that are too wide even for a pipe
};

}  // namespace

std::string terminal_table(const Table& table, const TerminalStyle& style) {
    return Layout(text_of(table), style).text();
}

}  // namespace strata
