// SPDX-License-Identifier: MIT
#include "backend/reference/matrix.h"

#include "backend/parallel.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace strata {

namespace {

// Eight adjacent columns. The compiler splits them if the processor's registers are shorter.
using FloatVector = float __attribute__((vector_size(32)));
using Doubles = double __attribute__((vector_size(64)));
constexpr std::ptrdiff_t lanes = 8;
constexpr std::ptrdiff_t tile_rows = 4;
constexpr std::ptrdiff_t tile_columns = 2 * lanes;

// Element by element, for everything that does not fill a tile.
void multiply_plainly(const MatrixExtents& extents, const StridedMatrix& a, const StridedMatrix& b,
                      double* c, std::ptrdiff_t c_row) {
    for (std::ptrdiff_t i = 0; i < extents.m; ++i) {
        for (std::ptrdiff_t j = 0; j < extents.n; ++j) {
            double sum = 0;
            for (std::ptrdiff_t l = 0; l < extents.k; ++l) {
                sum += static_cast<double>(a.at(i, l)) * static_cast<double>(b.at(l, j));
            }
            c[i * c_row + j] += sum;
        }
    }
}

// Rows x 16 columns of c, kept in registers during the loop over k.
template <std::size_t Rows>
[[gnu::always_inline]] inline void multiply_tile(std::ptrdiff_t k, const StridedMatrix& a,
                                                 const StridedMatrix& b, double* c,
                                                 std::ptrdiff_t c_row) {
    std::array<std::array<Doubles, 2>, Rows> sums{};
    for (std::ptrdiff_t l = 0; l < k; ++l) {
        std::array<FloatVector, 2> columns;
        std::memcpy(&columns, &b.at(l, 0), sizeof columns);
        const auto left = __builtin_convertvector(columns[0], Doubles);
        const auto right = __builtin_convertvector(columns[1], Doubles);
#pragma GCC unroll 4
        for (std::size_t i = 0; i < Rows; ++i) {
            const double factor = a.at(static_cast<std::ptrdiff_t>(i), l);
            sums[i][0] += factor * left;
            sums[i][1] += factor * right;
        }
    }
    for (std::size_t i = 0; i < Rows; ++i) {
        double* row = c + static_cast<std::ptrdiff_t>(i) * c_row;
        for (std::ptrdiff_t j = 0; j < tile_columns; ++j) {
            row[j] += sums[i][static_cast<std::size_t>(j / lanes)][j % lanes];
        }
    }
}

// All rows of 16 columns. (x86-64-v3 is AVX2 with FMA; "arch=haswell" would match only that model.)
[[gnu::target_clones("avx512f", "arch=x86-64-v3", "default")]] void multiply_columns(
    std::ptrdiff_t m, std::ptrdiff_t k, const StridedMatrix& a, const StridedMatrix& b, double* c,
    std::ptrdiff_t c_row) {
    std::ptrdiff_t i = 0;
    for (; i + tile_rows <= m; i += tile_rows) {
        multiply_tile<tile_rows>(k, {a.data + i * a.row, a.row, a.column}, b, c + i * c_row, c_row);
    }
    const StridedMatrix rest = {a.data + i * a.row, a.row, a.column};
    switch (m - i) {
        case 3:
            return multiply_tile<3>(k, rest, b, c + i * c_row, c_row);
        case 2:
            return multiply_tile<2>(k, rest, b, c + i * c_row, c_row);
        case 1:
            return multiply_tile<1>(k, rest, b, c + i * c_row, c_row);
        default:
            return;
    }
}

}  // namespace

void multiply_accumulate(const MatrixExtents& extents, const StridedMatrix& a,
                         const StridedMatrix& b, double* c, std::ptrdiff_t c_row) {
    const bool tiles_fit = b.column == 1 && extents.k > 0 && extents.m > 0;
    std::ptrdiff_t done = 0;
    for (; tiles_fit && done + tile_columns <= extents.n; done += tile_columns) {
        multiply_columns(extents.m, extents.k, a, {&b.at(0, done), b.row, b.column}, c + done,
                         c_row);
    }
    if (done < extents.n) {
        multiply_plainly({extents.m, extents.n - done, extents.k}, a,
                         {b.data + done * b.column, b.row, b.column}, c + done, c_row);
    }
}

std::vector<float> product_of(const MatrixExtents& extents, const StridedMatrix& a,
                              const StridedMatrix& b) {
    constexpr std::ptrdiff_t block = 64;  // columns that a thread computes at a time
    std::vector<float> result(static_cast<std::size_t>(extents.m * extents.n));
    const double operations =
        static_cast<double>(extents.m * block) * static_cast<double>(extents.k);
    parallel_for((extents.n + block - 1) / block, operations, [&](std::ptrdiff_t number) {
        const std::ptrdiff_t first = number * block, count = std::min(block, extents.n - first);
        std::vector<double> sums(static_cast<std::size_t>(extents.m * count));
        multiply_accumulate({extents.m, count, extents.k}, a,
                            {b.data + first * b.column, b.row, b.column}, sums.data(), count);
        for (std::ptrdiff_t i = 0; i < extents.m * count; ++i) {
            result[static_cast<std::size_t>(i / count * extents.n + first + i % count)] =
                static_cast<float>(sums[static_cast<std::size_t>(i)]);
        }
    });
    return result;
}

std::vector<float> transposed(std::span<const float> matrix, std::size_t rows,
                              std::size_t columns) {
    std::vector<float> result(matrix.size());
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            result[j * rows + i] = matrix[i * columns + j];
        }
    }
    return result;
}

}  // namespace strata
