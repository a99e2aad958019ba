// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/small_gemm.h"
#include "op/work.h"

#include <cstddef>

namespace strata::cpu {

// A complex matrix with real and imaginary parts in two arrays of the same strides, of which one is
// 1: element (i, k) is at [i * row + k * depth].
struct ComplexLeft {
    const float* real = nullptr;
    const float* imaginary = nullptr;
    std::size_t row = 0;
    std::size_t depth = 1;
};

// The right matrix b[depth][columns] as three real ones, `plane` floats apart: Re b, Im b - Re b
// and
// -(Re b + Im b). Each is in panels [depth][right_panel_columns()].
struct ComplexRight {
    const float* planes = nullptr;
    std::size_t plane = 0;
};

std::size_t right_plane_floats(std::size_t depth, std::size_t columns);

struct ComplexResult {
    float* real = nullptr;
    float* imaginary = nullptr;
    std::size_t row = 0;
};

// c = a b or c += a b with three real products instead of four:
//     Re c = (Re a + Im a) Re b - Im a (Re b + Im b)
//     Im c = (Re a + Im a) Re b + Re a (Im b - Re b)
// On the calling thread. `columns` is a multiple of 16.
void complex_product(const ProductExtents& extents, const ComplexLeft& a, const ComplexRight& b,
                     const ComplexResult& c, Into into, float* scratch);
std::size_t complex_scratch_floats(const ProductExtents& extents);
Operations complex_product_operations(const ProductExtents& extents, Into into);

}  // namespace strata::cpu
