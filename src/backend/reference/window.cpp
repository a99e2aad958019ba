// SPDX-License-Identifier: MIT
#include "backend/reference/window.h"

#include "base/error.h"

namespace strata {

std::array<std::int64_t, 2> WindowAxis::outputs_inside(std::int64_t tap) const {
    const std::int64_t shift = begin - tap * dilation;  // 0 <= o * stride - shift < input
    const std::int64_t first = shift <= 0 ? 0 : (shift + stride - 1) / stride;
    const std::int64_t furthest = input - 1 + shift;
    const std::int64_t last = furthest < 0 ? 0 : std::min(output, furthest / stride + 1);
    return {std::min(first, last), last};
}

bool fits_spatial_window(const Dims& x) {
    return x.size() >= 3 && x.size() <= 5;
}

SpatialWindow spatial_window(const Window& window, const Dims& x, const Dims& y) {
    check(fits_spatial_window(x) && x.size() == y.size(),
          "a window slides over one to three spatial axes");
    const std::size_t spatial = x.size() - 2;
    SpatialWindow result;
    for (std::size_t axis = 0; axis < spatial; ++axis) {
        result.axes[3 - spatial + axis] = {.input = x[axis + 2],
                                           .output = y[axis + 2],
                                           .kernel = window.kernel[axis],
                                           .stride = window.stride[axis],
                                           .dilation = window.dilation[axis],
                                           .begin = window.pad_begin[axis],
                                           .end = window.pad_end[axis]};
    }
    return result;
}

}  // namespace strata
