// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "op/resize.h"

#include <array>
#include <vector>

namespace strata::cuda {

// Images of up to three spatial axes, and the number of taps of each output position along each.
struct ResizeShape {
    std::int64_t images = 1;
    std::int64_t channels = 1;
    Order order = Order::rows;
    std::array<std::int64_t, 3> input = {1, 1, 1};
    std::array<std::int64_t, 3> output = {1, 1, 1};
    std::array<std::int64_t, 3> taps = {1, 1, 1};
};
ResizeShape resize_shape(const Dims& x, Order order, const std::vector<InterpolationAxis>& axes);

// The kernels' lookup table: for each of three axes the positions of its outputs' taps, then their
// weights.
std::vector<float> resize_table(const std::vector<InterpolationAxis>& axes);

// y = the weighted sum of the taps. Addresses: x, table (f32), y.
Kernel resize_forward(const ResizeShape& shape, const std::array<ElementType, 2>& types);

// sum += each output's gradient times its weights, by atomic additions. Addresses: dy, table, sum
// (f32).
Kernel resize_scatter(const ResizeShape& shape, ElementType dy);

}  // namespace strata::cuda
