// SPDX-License-Identifier: MIT
#include "report/axis.h"
#include "report/format.h"
#include "report/terminal_blocks.h"
#include "report/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

namespace {

// A rectangle of characters to draw on. Positions run from 0 at the left and the bottom to 1 at the
// right and the top; positions beyond are drawn on the edge.
class TextCanvas {
public:
    struct Point {
        double x = 0;
        double y = 0;
    };

    // Requires: at least one column and one row.
    TextCanvas(std::size_t columns, std::size_t rows)
        : cells_(rows, std::vector<std::string>(columns, " ")) {}

    std::size_t columns() const { return cells_.front().size(); }
    std::size_t rows() const { return cells_.size(); }
    std::size_t column_of(double x) const { return cell_at(x, columns()); }
    std::size_t row_of(double y) const { return rows() - 1 - cell_at(y, rows()); }  // from the top

    // A sign is one letter, possibly coloured.
    void draw_point(const Point& point, std::string_view sign);
    // Draws as many signs as the longer of its two extents has cells, so that the line has no
    // holes.
    void draw_line(const Point& from, const Point& to, std::string_view sign);

    // A row from the top, without the blanks at its end.
    std::string row(std::size_t index) const;

private:
    static std::size_t cell_at(double share, std::size_t cells);

    std::vector<std::vector<std::string>> cells_;
};

std::size_t distance(std::size_t a, std::size_t b) {
    return a < b ? b - a : a - b;
}

std::size_t TextCanvas::cell_at(double share, std::size_t cells) {
    const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(cells - 1);
    return static_cast<std::size_t>(std::lround(at));
}

void TextCanvas::draw_point(const Point& point, std::string_view sign) {
    cells_[row_of(point.y)][column_of(point.x)] = sign;
}

void TextCanvas::draw_line(const Point& from, const Point& to, std::string_view sign) {
    const std::size_t steps =
        std::max({std::size_t{1}, distance(column_of(from.x), column_of(to.x)),
                  distance(row_of(from.y), row_of(to.y))});
    for (std::size_t i = 0; i <= steps; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(steps);
        draw_point({std::lerp(from.x, to.x, share), std::lerp(from.y, to.y, share)}, sign);
    }
}

std::string TextCanvas::row(std::size_t index) const {
    const auto& cells = cells_[index];
    const auto end = std::ranges::find_if(cells.rbegin(), cells.rend(),
                                          [](const auto& cell) { return cell != " "; });
    std::string text;
    for (auto cell = cells.begin(); cell != end.base(); ++cell) {
        text += *cell;
    }
    return text;
}

constexpr std::size_t rows = 14;
constexpr std::size_t widest_field = 64;
constexpr std::size_t narrowest_field = 20;
constexpr std::size_t max_y_ticks = 5;
constexpr std::size_t max_x_ticks = 7;

constexpr std::array<std::string_view, 8> point_signs = {"●", "▲", "■", "◆", "○", "△", "□", "◇"};
constexpr std::array<std::string_view, 8> ascii_point_signs = {"o", "x", "#", "*",
                                                               "@", "%", "&", "$"};

// An axis as it is drawn: its span, its ticks and the scale of their numbers, which are round and
// need no extra digits.
struct DrawnAxis {
    DrawnAxis(const XyChart::Axis& axis, const std::vector<double>& values, std::size_t max_ticks)
        : span(span_of(values, axis.scale)),
          scale(scale_for(axis.unit, span.high / 2)),
          ticks(ticks_of(axis, span, max_ticks)),
          title(axis.title + (scale.unit.empty() ? "" : " [" + scale.unit + "]")) {}

    std::string number(double tick) const { return fmt::format("{:.9g}", tick / scale.factor); }

    std::size_t widest_number() const {
        std::size_t widest = 0;
        for (const double tick : ticks) {
            widest = std::max(widest, display_width(number(tick)));
        }
        return widest;
    }

    AxisSpan span;
    Scale scale;
    std::vector<double> ticks;
    std::string title;
};

std::size_t columns_within(std::size_t width, std::size_t gutter) {
    const std::size_t taken = std::min(width, gutter + 3);
    return width == 0 ? widest_field : std::clamp(width - taken, narrowest_field, widest_field);
}

class XyWriter {
public:
    XyWriter(const XyChart& chart, const TerminalStyle& style)
        : chart_(chart),
          style_(style),
          x_(chart.x, x_values(chart), max_x_ticks),
          y_(chart.y, y_values(chart), max_y_ticks),
          gutter_(y_.widest_number()),
          field_(columns_within(style.width, gutter_), rows) {
        for (std::size_t i = 0; i < chart.series.size(); ++i) {
            draw_lines(i);
        }
        for (std::size_t i = 0; i < chart.series.size(); ++i) {
            draw_points(i);  // on top of all lines
        }
    }

    std::string text() const {
        std::string text = bold(adapted(chart_.title, style_), style_) + "\n" + legend() + "\n";
        for (std::size_t row = 0; row < rows; ++row) {
            const std::string label = label_of(row);
            text += repeat(" ", gutter_ - display_width(label)) + label +
                    (label.empty() ? sign(" │", " |") : sign(" ┤", " +")) + field_.row(row) + "\n";
        }
        return text + floor() + tick_line();
    }

private:
    std::string sign(std::string_view unicode, std::string_view ascii) const {
        return std::string(style_.unicode ? unicode : ascii);
    }

    std::string point_sign(std::size_t series) const {
        const std::string_view sign =
            sign_of(style_.unicode ? point_signs : ascii_point_signs, series);
        return coloured(sign, series, style_);
    }

    std::string line_sign(std::size_t series) const {
        return coloured(sign("·", "."), series, style_);
    }

    // The points that both axes can hold.
    std::vector<TextCanvas::Point> points_of(std::size_t series) const {
        std::vector<TextCanvas::Point> points;
        for (const auto& point : chart_.series[series].points) {
            if (x_.span.can_hold(point.x) && y_.span.can_hold(point.y)) {
                points.push_back({x_.span.position(point.x), y_.span.position(point.y)});
            }
        }
        return points;
    }

    void draw_lines(std::size_t series) {
        const auto points = points_of(series);
        for (std::size_t i = 1; chart_.series[series].mark != Mark::points && i < points.size();
             ++i) {
            field_.draw_line(points[i - 1], points[i], line_sign(series));
        }
    }

    void draw_points(std::size_t series) {
        for (const auto& point : points_of(series)) {
            if (chart_.series[series].mark != Mark::line) {
                field_.draw_point(point, point_sign(series));
            }
        }
    }

    std::string label_of(std::size_t row) const {
        const auto here = std::ranges::find_if(
            y_.ticks, [&](double tick) { return field_.row_of(y_.span.position(tick)) == row; });
        return here == y_.ticks.end() ? "" : y_.number(*here);
    }

    // The axes, then the series, on as many lines as needed.
    std::string legend() const {
        std::string text = adapted(y_.title + " over " + x_.title, style_);
        std::size_t width = display_width(text);
        for (std::size_t i = 0; i < chart_.series.size(); ++i) {
            const auto& series = chart_.series[i];
            const std::string name = adapted(series.name, style_);
            const std::size_t entry = display_width(name) + 2;
            const bool fits = style_.width == 0 || width + 2 + entry <= style_.width;
            width = fits ? width + 2 + entry : entry;
            text += (fits ? "  " : "\n") +
                    (series.mark == Mark::line ? line_sign(i) : point_sign(i)) + " " + name;
        }
        return text;
    }

    // The axis with a mark at each tick.
    std::string floor() const {
        std::vector<std::string> cells(field_.columns(), sign("─", "-"));
        for (const double tick : x_.ticks) {
            cells[field_.column_of(x_.span.position(tick))] = sign("┬", "+");
        }
        std::string line = repeat(" ", gutter_) + sign(" └", " +");
        for (const std::string& cell : cells) {
            line += cell;
        }
        return line + "\n";
    }

    // Each number centred under its tick, if there is room.
    std::string tick_line() const {
        std::string line;
        const std::size_t left = gutter_ + 2, right = left + field_.columns();
        for (const double tick : x_.ticks) {
            const std::string number = x_.number(tick);
            const std::size_t width = display_width(number), end = display_width(line);
            const std::size_t middle = left + field_.column_of(x_.span.position(tick));
            const std::size_t begin = std::min(middle - std::min(middle, width / 2), right - width);
            if (line.empty() || begin > end) {
                line += repeat(" ", begin - std::min(begin, end)) + number;
            }
        }
        return line + "\n";
    }

    const XyChart& chart_;
    const TerminalStyle& style_;
    DrawnAxis x_;
    DrawnAxis y_;
    std::size_t gutter_;
    TextCanvas field_;
};

}  // namespace

std::string terminal_xy(const XyChart& chart, const TerminalStyle& style) {
    return XyWriter(chart, style).text();
}

}  // namespace strata
