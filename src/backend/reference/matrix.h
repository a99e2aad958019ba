// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace strata {

// A matrix of floats with arbitrary strides: element (i, j) is at data[i * row + j * column].
struct StridedMatrix {
    const float* data = nullptr;
    std::ptrdiff_t row = 0;
    std::ptrdiff_t column = 1;

    const float& at(std::ptrdiff_t i, std::ptrdiff_t j) const { return data[i * row + j * column]; }
    StridedMatrix transposed() const { return {data, column, row}; }
};

// The extents of c[m][n] += sum over k of a[m][k] * b[k][n].
struct MatrixExtents {
    std::ptrdiff_t m = 0;
    std::ptrdiff_t n = 0;
    std::ptrdiff_t k = 0;
};

// c[i * c_row + j] += sum over l of a(i, l) * b(l, j), with every product and sum in double.
// Correct for any strides, fast if b's rows are contiguous and at least 16 elements long.
void multiply_accumulate(const MatrixExtents& extents, const StridedMatrix& a,
                         const StridedMatrix& b, double* c, std::ptrdiff_t c_row);

// The product alone, [m][n] as floats, on all threads.
std::vector<float> product_of(const MatrixExtents& extents, const StridedMatrix& a,
                              const StridedMatrix& b);

// The transpose of [rows][columns]: a contiguous [columns][rows].
std::vector<float> transposed(std::span<const float> matrix, std::size_t rows, std::size_t columns);

}  // namespace strata
