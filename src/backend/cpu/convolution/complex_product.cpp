// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/complex_product.h"

#include "backend/cpu/convolution/tile_sizes.h"

#include <algorithm>

namespace strata::cpu {

namespace {

std::ptrdiff_t stride(std::size_t floats) {
    return static_cast<std::ptrdiff_t>(floats);
}

STRATA_EACH_ISA void add_parts(const float* a, const float* b, std::size_t count, float* sum) {
    for (std::size_t i = 0; i < count; ++i) {
        sum[i] = a[i] + b[i];
    }
}

// The sum goes to both parts of the result.
STRATA_EACH_ISA void spread(const float* sum, std::size_t count, bool adds, float* real,
                            float* imaginary) {
    if (adds) {
        for (std::size_t i = 0; i < count; ++i) {
            real[i] += sum[i];
            imaginary[i] += sum[i];
        }
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            real[i] = sum[i];
            imaginary[i] = sum[i];
        }
    }
}

// c = a b or c += a b for b in panels.
void panel_product(const ProductExtents& extents, const LeftMatrix& a, const float* b,
                   const ResultMatrix& c, Into into) {
    const std::size_t width = right_panel_columns();
    for (std::size_t column = 0; column < extents.columns; column += width) {
        const std::size_t columns = std::min(width, extents.columns - column);
        for (std::size_t k = 0; k < extents.depth; k += depth_block()) {
            const std::size_t depth = std::min(depth_block(), extents.depth - k);
            small_gemm({extents.rows, columns, depth},
                       {a.data + stride(k) * a.depth, a.row, a.depth},
                       {b + column * extents.depth + k * width, stride(width)},
                       {c.data + column, c.row}, k > 0 ? Into::add : into);
        }
    }
}

// a's real plus its imaginary parts, for some rows, in the same order.
LeftMatrix sum_of_parts(const ComplexLeft& a, std::size_t first, std::size_t rows,
                        std::size_t depth, float* sum) {
    const bool is_by_rows = a.depth == 1;
    const std::size_t outer = is_by_rows ? rows : depth, inner = is_by_rows ? depth : rows;
    const std::size_t step = is_by_rows ? a.row : a.depth;
    for (std::size_t i = 0; i < outer; ++i) {
        const std::size_t at = first * a.row + i * step;
        add_parts(a.real + at, a.imaginary + at, inner, sum + i * inner);
    }
    return is_by_rows ? LeftMatrix{sum, stride(depth), 1} : LeftMatrix{sum, 1, stride(rows)};
}

}  // namespace

std::size_t right_plane_floats(std::size_t depth, std::size_t columns) {
    return round_up(columns, right_panel_columns()) * depth;
}

std::size_t complex_scratch_floats(const ProductExtents& extents) {
    return row_block * (extents.depth + extents.columns);
}

Operations complex_product_operations(const ProductExtents& extents, Into into) {
    const auto rows = static_cast<double>(extents.rows), depth = static_cast<double>(extents.depth);
    const auto columns = static_cast<double>(extents.columns);
    const double sums = into == Into::add ? 4 * rows * columns : 2 * rows * columns;
    return {.multiply_adds = 3 * rows * columns * depth, .adds = rows * depth + sums};
}

void complex_product(const ProductExtents& extents, const ComplexLeft& a, const ComplexRight& b,
                     const ComplexResult& c, Into into, float* scratch) {
    float* both = scratch + row_block * extents.depth;
    for (std::size_t first = 0; first < extents.rows; first += row_block) {
        const std::size_t rows = std::min(row_block, extents.rows - first);
        const ProductExtents block = {rows, extents.columns, extents.depth};
        const LeftMatrix sum = sum_of_parts(a, first, rows, extents.depth, scratch);
        panel_product(block, sum, b.planes, {both, stride(extents.columns)}, Into::overwrite);
        float* real = c.real + first * c.row;
        float* imaginary = c.imaginary + first * c.row;
        for (std::size_t i = 0; i < rows; ++i) {
            spread(both + i * extents.columns, extents.columns, into == Into::add, real + i * c.row,
                   imaginary + i * c.row);
        }
        const auto left = [&](const float* part) {
            return LeftMatrix{part + first * a.row, stride(a.row), stride(a.depth)};
        };
        panel_product(block, left(a.real), b.planes + b.plane, {imaginary, stride(c.row)},
                      Into::add);
        panel_product(block, left(a.imaginary), b.planes + 2 * b.plane, {real, stride(c.row)},
                      Into::add);
    }
}

}  // namespace strata::cpu
