// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/complex_product.h"
#include "backend/cpu/convolution/tile_sizes.h"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <vector>

namespace strata::cpu {
namespace {

using Complex = std::complex<float>;

// Small integers, so that every order of summation gives the same result.
Complex element(std::size_t i, std::size_t k) {
    return {static_cast<float>((i * 3 + k) % 5) - 2, static_cast<float>((i + k * 7) % 3) - 1};
}

struct Matrices {
    ProductExtents extents;
    std::vector<float> real, imaginary, right;

    // `element` of both factors; the left one by rows or by columns.
    Matrices(const ProductExtents& e, bool by_rows)
        : extents(e),
          real(e.rows * e.depth),
          imaginary(e.rows * e.depth),
          right(3 * right_plane_floats(e.depth, e.columns)) {
        const std::size_t plane = right_plane_floats(e.depth, e.columns);
        const std::size_t width = right_panel_columns();
        for (std::size_t i = 0; i < e.rows; ++i) {
            for (std::size_t k = 0; k < e.depth; ++k) {
                const std::size_t at = by_rows ? i * e.depth + k : k * e.rows + i;
                real[at] = element(i, k).real();
                imaginary[at] = element(i, k).imag();
            }
        }
        for (std::size_t k = 0; k < e.depth; ++k) {
            for (std::size_t j = 0; j < e.columns; ++j) {
                const Complex b = element(k + 1, j);
                const std::size_t at = j / width * width * e.depth + k * width + j % width;
                right[at] = b.real();
                right[plane + at] = b.imag() - b.real();
                right[2 * plane + at] = -(b.real() + b.imag());
            }
        }
    }
};

TEST(ComplexProduct, MultipliesAnyRowsByPanels) {
    for (const bool by_rows : {true, false}) {
        for (const std::size_t columns : {16U, 80U}) {
            const ProductExtents extents = {50, columns, 300};
            const Matrices m(extents, by_rows);
            std::vector<float> real(50 * columns, 1), imaginary(50 * columns, 2);
            std::vector<float> scratch(complex_scratch_floats(extents));
            const ComplexLeft left = {m.real.data(), m.imaginary.data(),
                                      by_rows ? extents.depth : 1, by_rows ? 1 : extents.rows};
            const ComplexRight right = {m.right.data(), right_plane_floats(300, columns)};
            const ComplexResult result = {real.data(), imaginary.data(), columns};
            complex_product(extents, left, right, result, Into::overwrite, scratch.data());
            complex_product(extents, left, right, result, Into::add, scratch.data());
            for (std::size_t i = 0; i < 50; ++i) {
                for (std::size_t j = 0; j < columns; ++j) {
                    Complex sum = 0;
                    for (std::size_t k = 0; k < 300; ++k) {
                        sum += element(i, k) * element(k + 1, j);
                    }
                    ASSERT_EQ(real[i * columns + j], 2 * sum.real()) << i << ", " << j;
                    ASSERT_EQ(imaginary[i * columns + j], 2 * sum.imag()) << i << ", " << j;
                }
            }
        }
    }
}

TEST(ComplexProduct, TakesThreeRealMultiplicationsEach) {
    EXPECT_EQ(complex_product_operations({2, 16, 5}, Into::overwrite).multiply_adds,
              3 * 2 * 16 * 5);
    EXPECT_EQ(complex_product_operations({2, 16, 5}, Into::overwrite).adds, 2 * 5 + 2 * 2 * 16);
}

}  // namespace
}  // namespace strata::cpu
