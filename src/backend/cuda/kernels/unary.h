// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "op/unary.h"

#include <array>

namespace strata::cuda {

// y = f(x). Addresses: x, y; the two may be the same.
Kernel unary_forward(const Unary& op, std::int64_t count, const std::array<ElementType, 2>& types);

// dx = dy f'(x). Addresses: x (or y where the operator reads its output), dy, dx; dx may be dy.
Kernel unary_backward(const Unary& op, std::int64_t count, const std::array<ElementType, 3>& types);

}  // namespace strata::cuda
