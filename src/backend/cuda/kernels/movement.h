// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "op/pad.h"
#include "op/resize.h"

#include <array>
#include <vector>

namespace strata::cuda {

// The layout of one side of a copy: an element's offset is `begin` plus the sum over the axes of
// index times stride. A stride of 0 repeats one element, a negative one goes backwards.
struct StridedSide {
    ElementType type = ElementType::f32;
    Dims strides = {};
    std::int64_t begin = 0;
};

// to[index] = from[index] for every index within `dims`. Addresses: from, to. Throws Error if more
// than 8 axes remain after axes that are contiguous on both sides are merged.
Kernel strided_copy(std::string name, const Dims& dims, const StridedSide& from,
                    const StridedSide& to);

// to[i] = value for every element. Addresses: to.
Kernel fill(std::string name, std::int64_t count, ElementType type, float value);

// data[outer, extent, inner], and `indices` positions along its middle axis. A negative index
// counts from the end; one out of range is clamped, so that nothing is read out of bounds.
struct GatherShape {
    std::int64_t outer = 1;
    std::int64_t extent = 1;
    std::int64_t inner = 1;
    std::int64_t indices = 1;
};

// y[outer, indices, inner] = data[outer, index, inner]. Addresses and types: data, indices, y.
Kernel gather(const GatherShape& shape, const std::array<ElementType, 3>& types);

// data[outer, index, inner] += dy[outer, indices, inner], by atomic additions in no given order.
// The sum is f32. Addresses and types: dy, indices, and the sum.
Kernel scatter_add(const GatherShape& shape, const std::array<ElementType, 2>& types);

// y = x with elements added before and after each axis, both row-major. Addresses: x, y. Throws
// Error if there are more than 8 axes.
Kernel pad_forward(const Pad& op, const Dims& x, const Dims& y,
                   const std::array<ElementType, 2>& types);

// sum[source] += dy for every element that has a source, by atomic additions. Addresses: dy, sum
// (f32).
Kernel pad_scatter(const Pad& op, const Dims& x, const Dims& y, ElementType dy);

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

// x[outer, extent, inner], along the middle axis.
struct TopKShape {
    std::int64_t outer = 1;
    std::int64_t extent = 1;
    std::int64_t inner = 1;
    std::int64_t k = 1;
    bool largest = true;
};

// The first k elements in order, with their positions. Addresses: x, values, positions (f32).
Kernel top_k_forward(const TopKShape& shape, const std::array<ElementType, 2>& types);

// dx = dy where an element was chosen, else 0. Addresses: dy, positions, dx.
Kernel top_k_backward(const TopKShape& shape, const std::array<ElementType, 2>& types);

// y = 1 at the largest element of each row along the middle axis, else 0; k is not read.
// Addresses: x, y.
Kernel hardmax_forward(const TopKShape& shape, const std::array<ElementType, 2>& types);

// dx = 0. Addresses: dx.
Kernel hardmax_backward(std::int64_t count, ElementType type);

}  // namespace strata::cuda
