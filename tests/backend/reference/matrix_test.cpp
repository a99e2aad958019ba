// SPDX-License-Identifier: MIT
#include "backend/reference/matrix.h"

#include "tests/backend/reference/layer.h"

#include <gtest/gtest.h>

namespace strata::testing {
namespace {

// Three loops, element by element.
std::vector<double> plain_product(const MatrixExtents& e, const StridedMatrix& a,
                                  const StridedMatrix& b, double start) {
    std::vector<double> c(static_cast<std::size_t>(e.m * e.n), start);
    for (std::ptrdiff_t i = 0; i < e.m; ++i) {
        for (std::ptrdiff_t j = 0; j < e.n; ++j) {
            for (std::ptrdiff_t l = 0; l < e.k; ++l) {
                c[static_cast<std::size_t>(i * e.n + j)] +=
                    static_cast<double>(a.at(i, l)) * static_cast<double>(b.at(l, j));
            }
        }
    }
    return c;
}

void expect_product(const MatrixExtents& e, bool transpose_a, bool transpose_b) {
    const HostValues left = spread_values(static_cast<std::size_t>(e.m * e.k), 1);
    const HostValues right = spread_values(static_cast<std::size_t>(e.k * e.n), 2);
    const StridedMatrix a =
        transpose_a ? StridedMatrix{left.data(), 1, e.m} : StridedMatrix{left.data(), e.k, 1};
    const StridedMatrix b =
        transpose_b ? StridedMatrix{right.data(), 1, e.k} : StridedMatrix{right.data(), e.n, 1};
    std::vector<double> c(static_cast<std::size_t>(e.m * e.n), 0.5);
    multiply_accumulate(e, a, b, c.data(), e.n);
    const auto expected = plain_product(e, a, b, 0.5);
    for (std::size_t i = 0; i < c.size(); ++i) {
        ASSERT_NEAR(c[i], expected[i], 1e-11) << e.m << "x" << e.n << "x" << e.k << ", " << i;
    }
}

TEST(ReferenceMatrix, ProductsEqualThreePlainLoopsWhateverTheExtents) {
    for (const std::ptrdiff_t m : {1, 2, 3, 4, 9}) {
        for (const std::ptrdiff_t n : {1, 15, 16, 17, 40}) {
            for (const std::ptrdiff_t k : {1, 2, 33}) {
                expect_product({m, n, k}, false, false);
            }
        }
    }
}

TEST(ReferenceMatrix, ProductsOfTransposedMatricesAreReadThroughTheirStrides) {
    expect_product({5, 20, 7}, true, false);
    expect_product({5, 20, 7}, false, true);
    expect_product({20, 18, 7}, true, true);
}

TEST(ReferenceMatrix, AnEmptyProductChangesNothing) {
    std::vector<double> c(20, 7.0);
    multiply_accumulate({1, 20, 0}, {}, {}, c.data(), 20);
    EXPECT_EQ(c, std::vector<double>(20, 7.0));
}

TEST(ReferenceMatrix, ATransposedMatrixHasItsRowsAsColumns) {
    EXPECT_EQ(transposed(std::vector<float>{1, 2, 3, 4, 5, 6}, 2, 3),
              (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

}  // namespace
}  // namespace strata::testing
