// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"

namespace strata::cuda {

namespace {

// A leading axis that an image lacks has one position, from which everything is taken.
std::vector<InterpolationAxis> three_axes(const std::vector<InterpolationAxis>& axes) {
    std::vector<InterpolationAxis> result(3 - axes.size(), {1, 1, 1, {{0, 1.0}}});
    result.insert(result.end(), axes.begin(), axes.end());
    return result;
}

}  // namespace

ResizeShape resize_shape(const Dims& x, Order order, const std::vector<InterpolationAxis>& axes) {
    ResizeShape shape = {.images = x[0], .channels = x[1], .order = order};
    const auto all = three_axes(axes);
    for (std::size_t i = 0; i < all.size(); ++i) {
        shape.input[i] = all[i].input;
        shape.output[i] = all[i].output;
        shape.taps[i] = static_cast<std::int64_t>(all[i].each);
    }
    return shape;
}

std::vector<float> resize_table(const std::vector<InterpolationAxis>& axes) {
    std::vector<float> table;
    for (const InterpolationAxis& axis : three_axes(axes)) {
        for (const InterpolationTap& tap : axis.taps) {
            table.push_back(static_cast<float>(tap.position));
        }
        for (const InterpolationTap& tap : axis.taps) {
            table.push_back(static_cast<float>(tap.weight));
        }
    }
    return table;
}

}  // namespace strata::cuda
