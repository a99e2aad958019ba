// SPDX-License-Identifier: MIT
#include "report/text_canvas.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

std::size_t distance(std::size_t a, std::size_t b) {
    return a < b ? b - a : a - b;
}

}  // namespace

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

}  // namespace strata
