// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/small_gemm.h"

#include <cstddef>

namespace strata::cpu {

// A row-major matrix, or the transpose of one: rows are `row` floats apart.
struct Factor {
    const float* data = nullptr;
    std::size_t row = 0;
    enum class Order { as_stored, transposed } order = Order::as_stored;
};

// c = a b or c += a b by the library's product, for matrices of any size: on all threads, or on the
// calling one within a parallel region. With the same threads it always gives the same result.
void library_product(const ProductExtents& extents, const Factor& a, const Factor& b,
                     const ResultMatrix& c, Into into);

}  // namespace strata::cpu
