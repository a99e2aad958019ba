// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "op/lrn.h"

#include <array>

namespace strata::cuda {

// The layout of images: channels are `stride` elements apart, each has `images` times `positions`
// elements.
struct LrnShape {
    std::int64_t images = 1;
    std::int64_t channels = 1;
    std::int64_t positions = 1;
    Order order = Order::rows;
};

// y = x s^-beta with s = k + alpha / size * sum of x^2 over the window. Addresses: x, y, s (f32).
Kernel lrn_forward(const Lrn& op, const LrnShape& shape, const std::array<ElementType, 2>& types);

// dx[j] = dy[j] s[j]^-beta - 2 alpha beta / size x[j] sum of dy[c] x[c] s[c]^(-beta-1) over the c
// whose windows cover j. Addresses: x, dy, s, dx.
Kernel lrn_backward(const Lrn& op, const LrnShape& shape, const std::array<ElementType, 3>& types);

}  // namespace strata::cuda
