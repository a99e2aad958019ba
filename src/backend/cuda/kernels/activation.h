// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "op/activation.h"

#include <array>

namespace strata::cuda {

// y = f(x). Addresses: x, y; the two may be the same.
Kernel activation_forward(const Activation& op, std::int64_t count,
                          const std::array<ElementType, 2>& types);

// dx = dy f'(x). Addresses: x (or y where the operator reads its output), dy, dx; dx may be dy.
Kernel activation_backward(const Activation& op, std::int64_t count,
                           const std::array<ElementType, 3>& types);

}  // namespace strata::cuda
