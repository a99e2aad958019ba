// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A rectangle of signs to draw on. Places are shares from 0 at the left and the bottom to 1 at the
// right and the top; what lies beyond stands on the edge.
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

    // A sign is one letter, perhaps with colour.
    void draw_point(const Point& point, std::string_view sign);
    // As many signs as the longer of its two extents has cells, so that it has no holes.
    void draw_line(const Point& from, const Point& to, std::string_view sign);

    // A row from the top, without the blanks at its end.
    std::string row(std::size_t index) const;

private:
    static std::size_t cell_at(double share, std::size_t cells);

    std::vector<std::vector<std::string>> cells_;
};

}  // namespace strata
