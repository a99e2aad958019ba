// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "backend/reference/views.h"
#include "op/pooling.h"

#include <array>

namespace strata::cuda {

// Images and their windows; x and y (and their gradients) have the same order.
struct PoolingShape {
    PoolingKind kind = PoolingKind::max;
    bool count_include_pad = false;
    std::int64_t images = 1;
    std::int64_t channels = 1;
    Order order = Order::rows;
    SpatialWindow window = {};
};

// y = the maximum or the mean of each window. Addresses: x, y, and for a maximum its place within
// the plane (f32, exact up to 2^24; -1 if the window is empty).
Kernel pooling_forward(const PoolingShape& shape, const std::array<ElementType, 2>& types);

// dx = for each element, the sum of its shares of dy over the windows that cover it. Addresses: dy,
// places (dy again for a mean), dx.
Kernel pooling_backward(const PoolingShape& shape, const std::array<ElementType, 2>& types);
// The same for a maximum of images in rows, or whose channels are innermost and fill packs.
Kernel max_pooling_backward(const PoolingShape& shape, const std::array<ElementType, 2>& types);

}  // namespace strata::cuda
