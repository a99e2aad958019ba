// SPDX-License-Identifier: MIT
#include "report/terminal_xy.h"

#include "report/axis.h"
#include "report/format.h"
#include "report/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

constexpr std::size_t rows = 14;
constexpr std::size_t widest_field = 64;
constexpr std::size_t narrowest_field = 20;
constexpr std::size_t most_ticks_up = 5;
constexpr std::size_t most_ticks_along = 7;

constexpr std::array<std::string_view, 4> point_signs = {"●", "▲", "■", "◆"};
constexpr std::array<std::string_view, 4> ascii_point_signs = {"o", "x", "#", "*"};
constexpr std::array<std::string_view, 4> colours = {"34", "33", "32", "35"};

// Ticks are round: no digits beyond those they need.
std::string tick_text(double tick, const Scale& scale) {
    return fmt::format("{:.9g}", tick / scale.factor);
}

// What is drawn of a series, in the order of drawing: points lie on top of lines.
enum class Layer { lines, points };

class XyWriter {
public:
    XyWriter(const XyChart& chart, const TerminalStyle& style)
        : chart_(chart),
          style_(style),
          x_(span_of(x_values(chart), chart.x.scale)),
          y_(span_of(y_values(chart), chart.y.scale)),
          x_scale_(scale_for(chart.x.unit, x_.high / 2)),
          y_scale_(scale_for(chart.y.unit, y_.high / 2)) {
        for (const double tick : ticks_of(y_, most_ticks_up)) {
            label_of_row(row_of(tick)) = tick_text(tick, y_scale_);
        }
        for (const std::string& label : labels_) {
            gutter_ = std::max(gutter_, display_width(label));
        }
        field_.assign(rows, std::vector<std::string>(columns(), " "));
        for (const Layer layer : {Layer::lines, Layer::points}) {
            for (std::size_t i = 0; i < chart.series.size(); ++i) {
                draw(i, layer);
            }
        }
    }

    std::string text() const {
        std::string text = legend() + "\n";
        for (std::size_t row = 0; row < rows; ++row) {
            std::string line = repeat(" ", gutter_ - display_width(labels_[row])) + labels_[row] +
                               (labels_[row].empty() ? sign(" │", " |") : sign(" ┤", " +"));
            const auto& cells = field_[row];
            const auto end = std::ranges::find_if(cells.rbegin(), cells.rend(),
                                                  [](const auto& cell) { return cell != " "; });
            for (auto cell = cells.begin(); cell != end.base(); ++cell) {
                line += *cell;
            }
            text += line + "\n";
        }
        return text + floor() + tick_line();
    }

private:
    std::string sign(std::string_view unicode, std::string_view ascii) const {
        return std::string(style_.unicode ? unicode : ascii);
    }

    std::size_t columns() const {
        if (style_.width == 0) {
            return widest_field;
        }
        const std::size_t taken = gutter_ + 3;
        return std::clamp(style_.width - std::min(style_.width, taken), narrowest_field,
                          widest_field);
    }

    // Rows count from the top.
    std::size_t row_of(double y) const { return rows - 1 - place(y_.place(y), rows); }
    std::size_t column_of(double x) const { return place(x_.place(x), columns()); }

    static std::size_t place(double share, std::size_t cells) {
        const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(cells - 1);
        return static_cast<std::size_t>(std::lround(at));
    }

    std::string& label_of_row(std::size_t row) { return labels_[row]; }

    std::string coloured(std::string_view text, std::size_t series) const {
        return style_.colour ? "\x1b[" + std::string(colours[series % colours.size()]) + "m" +
                                   std::string(text) + "\x1b[0m"
                             : std::string(text);
    }

    std::string point_sign(std::size_t series) const {
        const auto& signs = style_.unicode ? point_signs : ascii_point_signs;
        return coloured(signs[series % signs.size()], series);
    }

    std::string line_sign(std::size_t series) const { return coloured(sign("·", "."), series); }

    bool can_hold(const XyChart::Point& point) const {
        return x_.can_hold(point.x) && y_.can_hold(point.y);
    }

    void draw(std::size_t index, Layer layer) {
        const auto& series = chart_.series[index];
        std::vector<XyChart::Point> points;
        std::ranges::copy_if(series.points, std::back_inserter(points),
                             [&](const auto& point) { return can_hold(point); });
        if (layer == Layer::points && series.mark != Mark::line) {
            for (const auto& point : points) {
                field_[row_of(point.y)][column_of(point.x)] = point_sign(index);
            }
        }
        for (std::size_t i = 1;
             layer == Layer::lines && series.mark != Mark::points && i < points.size(); ++i) {
            draw_line(points[i - 1], points[i], line_sign(index));
        }
    }

    // As many signs as the longer of its two extents has cells, so that it has no holes.
    void draw_line(const XyChart::Point& from, const XyChart::Point& to, const std::string& sign) {
        const auto distance = [](std::size_t a, std::size_t b) { return a < b ? b - a : a - b; };
        const std::size_t steps =
            std::max({std::size_t{1}, distance(column_of(from.x), column_of(to.x)),
                      distance(row_of(from.y), row_of(to.y))});
        for (std::size_t i = 0; i <= steps; ++i) {
            const double share = static_cast<double>(i) / static_cast<double>(steps);
            const double x = std::lerp(x_.place(from.x), x_.place(to.x), share);
            const double y = std::lerp(y_.place(from.y), y_.place(to.y), share);
            field_[rows - 1 - place(y, rows)][place(x, columns())] = sign;
        }
    }

    static std::string titled(const XyChart::Axis& axis, const Scale& scale) {
        return axis.title + (scale.unit.empty() ? "" : " [" + scale.unit + "]");
    }

    std::string legend() const {
        std::string text = bold(adapted(chart_.title, style_), style_) + "\n";
        std::string line =
            adapted(titled(chart_.y, y_scale_) + " over " + titled(chart_.x, x_scale_), style_);
        std::size_t width = display_width(line);
        for (std::size_t i = 0; i < chart_.series.size(); ++i) {
            const auto& series = chart_.series[i];
            const std::string name = adapted(series.name, style_);
            width += display_width(name) + 4;
            const bool fits = style_.width == 0 || width <= style_.width;
            if (!fits) {
                width = display_width(name) + 2;
            }
            line += (fits ? "  " : "\n") +
                    (series.mark == Mark::line ? line_sign(i) : point_sign(i)) + " " + name;
        }
        return text + line;
    }

    // The axis with a mark at each tick.
    std::string floor() const {
        std::vector<std::string> cells(columns(), sign("─", "-"));
        for (const double tick : ticks_of(x_, most_ticks_along)) {
            cells[column_of(tick)] = sign("┬", "+");
        }
        std::string line = repeat(" ", gutter_) + sign(" └", " +");
        for (const std::string& cell : cells) {
            line += cell;
        }
        return line + "\n";
    }

    // Each number centred under its tick, as far as there is room.
    std::string tick_line() const {
        std::string line;
        for (const double tick : ticks_of(x_, most_ticks_along)) {
            const std::string label = tick_text(tick, x_scale_);
            const std::size_t left = gutter_ + 2;
            const std::size_t middle = left + column_of(tick);
            const std::size_t begin = std::min(middle - std::min(middle, display_width(label) / 2),
                                               left + columns() - display_width(label));
            const std::size_t end = display_width(line);
            if (line.empty() || begin > end) {
                line += repeat(" ", begin - std::min(begin, end)) + label;
            }
        }
        return line + "\n";
    }

    const XyChart& chart_;
    const TerminalStyle& style_;
    AxisSpan x_;
    AxisSpan y_;
    Scale x_scale_;
    Scale y_scale_;
    std::array<std::string, rows> labels_{};
    std::size_t gutter_ = 0;
    std::vector<std::vector<std::string>> field_;
};

}  // namespace

std::string terminal_xy(const XyChart& chart, const TerminalStyle& style) {
    return XyWriter(chart, style).text();
}

}  // namespace strata
