// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/geometry.h"
#include "backend/cpu/convolution/image.h"

#include <cstddef>
#include <vector>

namespace strata::cpu {

// A filter element's offset from a point of a grid.
struct Tap {
    std::ptrdiff_t row = 0;
    std::ptrdiff_t column = 0;
};

// Points (i, j) over a plane: under tap t a point sees the element (i * row_step + t.row,
// j * column_step + t.column), which is zero outside the plane.
struct Grid {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::ptrdiff_t row_step = 1;
    std::ptrdiff_t column_step = 1;
    std::vector<Tap> taps;

    std::size_t points() const { return rows * columns; }
};

// An output's points over the input's planes: the taps are the filter's elements in their order.
Grid forward_grid(const Geometry& geometry);

// How many of the points see an element of the plane under this tap, not padding.
std::size_t points_inside(const Grid& grid, const Tap& tap, std::size_t height, std::size_t width);

// A tile of the matrix [channels x taps][points] of an image (im2col), of which row c * taps + t
// has what the points see of channel c under tap t. Writes the rows `depth` and the points `points`
// of it to panel[depth.count][panel_row].
struct DepthRange {
    std::size_t first = 0;
    std::size_t count = 0;
};
struct GatheredImage {
    const ImageView& view;
    std::size_t n = 0;
    std::size_t first_channel = 0;
};
void gather(const GatheredImage& image, const Grid& grid, DepthRange depth, PointRange points,
            float* panel, std::size_t panel_row);

// The reverse (col2im): adds the whole matrix's rows of `channels` to the image's planes.
void scatter_add(const ImageView& view, std::size_t n, ChannelRange channels, const Grid& grid,
                 const float* matrix, std::size_t row);

}  // namespace strata::cpu
