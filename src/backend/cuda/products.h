// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cublas/matmul.h"

namespace strata::cuda {

// An operand of a stack of products: its view, and its strides along the stack's axes (0 if it is
// shared).
struct Stacked {
    TensorView view;
    Matrix matrix;
    Dims strides;
};

// y (+)= scale a b for every index of `extents`. The longest axis becomes one call's batch; there
// is one call for each index of the others. Along axes with y's stride 0 the products are summed.
std::vector<Call> product_calls(const Matmul& shape, const Dims& extents, const Stacked& a,
                                const Stacked& b, const Stacked& y);

}  // namespace strata::cuda
