// SPDX-License-Identifier: MIT
#include "report/terminal_blocks.h"

#include "report/chart_tables.h"
#include "report/format.h"
#include "report/unicode.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

constexpr std::size_t widest_label = 32;
constexpr std::size_t widest_bar = 60;
constexpr std::size_t narrowest_bar = 10;

constexpr std::array<std::string_view, 12> block_signs = {"█", "▓", "▒", "░", "▚", "═",
                                                          "╬", "○", "●", "▲", "◆", "┼"};
constexpr std::array<std::string_view, 12> ascii_signs = {"#", "=", "+", ".", "o", "x",
                                                          "*", ":", "%", "-", "@", "/"};

std::string bar_piece(std::size_t series, std::size_t length, const TerminalStyle& style) {
    const std::string_view sign = sign_of(style.unicode ? block_signs : ascii_signs, series);
    return coloured(repeat(sign, length), series, style);
}

class BarsWriter {
public:
    BarsWriter(const StackedBars& chart, const TerminalStyle& style)
        : chart_(chart), style_(style) {
        for (std::size_t i = 0; i < chart.labels.size(); ++i) {
            labels_.push_back(adapted(shorten(clean_text(chart.labels[i]), widest_label), style));
            label_width_ = std::max(label_width_, display_width(labels_.back()));
            largest_ = std::max(largest_, chart.total(i).value_or(0));
        }
        scale_ = scale_for(chart.unit, largest_ / 4);
        for (std::size_t i = 0; i < chart.labels.size(); ++i) {
            sums_.push_back(bar_total_text(chart, i, scale_));
            sums_.back() = adapted(sums_.back(), style);
            sum_width_ = std::max(sum_width_, display_width(sums_.back()));
        }
    }

    std::string text() const {
        std::string text = legend() + "\n";
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            const std::string drawn = bar(i);
            text += labels_[i] + repeat(" ", label_width_ - display_width(labels_[i])) + "  " +
                    repeat(" ", sum_width_ - display_width(sums_[i])) + sums_[i] +
                    (drawn.empty() ? "" : "  ") + drawn + "\n";
        }
        return text;
    }

private:
    std::string legend() const {
        const std::string unit = scale_.unit.empty() ? "" : " [" + scale_.unit + "]";
        const std::string title = adapted(chart_.title + unit, style_);
        std::string text = bold(title, style_);
        std::size_t column = display_width(title);
        for (std::size_t i = 0; i < chart_.series.size(); ++i) {
            const std::string name = adapted(chart_.series[i].name, style_);
            const std::size_t width = 4 + display_width(name);
            const bool is_full = style_.width > 0 && column + width > style_.width;
            text += (is_full ? "\n  " : "  ") + bar_piece(i, 1, style_) + " " + name;
            column = is_full ? width : column + width;
        }
        return text;
    }

    std::size_t bar_width() const {
        if (style_.width == 0) {
            return widest_bar;
        }
        const std::size_t taken = label_width_ + sum_width_ + 4;
        return std::clamp(style_.width - std::min(style_.width, taken), narrowest_bar, widest_bar);
    }

    // Each piece ends at the rounded running sum, so that rounding never makes a bar too long.
    std::string bar(std::size_t index) const {
        std::string text;
        double running = 0;
        std::size_t drawn = 0;
        for (std::size_t i = 0; i < chart_.series.size() && largest_ > 0; ++i) {
            running += chart_.series[i].length(index);
            const double columns = running / largest_ * static_cast<double>(bar_width());
            const auto end = static_cast<std::size_t>(std::lround(columns));
            text += bar_piece(i, end - drawn, style_);
            drawn = end;
        }
        return text;
    }

    const StackedBars& chart_;
    const TerminalStyle& style_;
    std::vector<std::string> labels_;
    std::vector<std::string> sums_;
    std::size_t label_width_ = 0;
    std::size_t sum_width_ = 0;
    double largest_ = 0;
    Scale scale_;
};

}  // namespace

std::string_view sign_of(std::span<const std::string_view> signs, std::size_t series) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const std::size_t place = series % (signs.size() + letters.size());
    return place < signs.size() ? signs[place] : letters.substr(place - signs.size(), 1);
}

std::string terminal_bars(const StackedBars& chart, const TerminalStyle& style) {
    return BarsWriter(chart, style).text();
}

std::string terminal_roofline(const RooflineChart& chart, const TerminalStyle& style) {
    std::string text;
    for (const auto& table : tables_of(chart)) {
        text += (text.empty() ? "" : "\n") + terminal_table(table, style);
    }
    return text;
}

}  // namespace strata
