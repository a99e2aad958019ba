// SPDX-License-Identifier: MIT
#pragma once

#include "op/elementwise.h"

#include <cstdint>
#include <span>
#include <vector>

namespace strata::onednn {

// Where the elements of an operand lie that NumPy's rule stretches to a result: the extents of the
// result and the operand's step along each, 0 where it is stretched. Both row-major.
struct Stretch {
    Dims extents;
    Dims steps;
};

Stretch stretch_of(const Dims& operand, const Dims& result);

// y = x0 op x1 op ..., element by element of the result.
void elementwise(ElementwiseKind kind, std::span<const float* const> inputs,
                 std::span<const Stretch> stretches, float* y);

// d(loss)/d(input `which`) = sum over its copies of dy * dy/dx. A maximum's gradient goes to the
// first operand that has it. `dx` is overwritten.
void elementwise_gradient(ElementwiseKind kind, std::span<const float* const> inputs,
                          std::span<const Stretch> stretches, std::size_t which, const float* dy,
                          float* dx, std::size_t dx_elements);

}  // namespace strata::onednn
