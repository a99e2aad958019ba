// SPDX-License-Identifier: MIT
#pragma once

#include "op/unary.h"

#include <cstddef>

namespace strata::cpu {

// y = f(x) of each element; y may be x.
void unary(UnaryKind kind, const float* x, float* y, std::size_t count);

// dx = dy f'(x). `known` is what Unary::reads specifies: the inputs, the results, or nothing.
void unary_gradient(UnaryKind kind, const float* known, const float* dy, float* dx,
                    std::size_t count);

}  // namespace strata::cpu
