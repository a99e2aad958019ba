// SPDX-License-Identifier: MIT
#include "backend/reference/views.h"

#include "base/error.h"

namespace strata {

AxisView around_axis(const Dims& dims, std::int64_t axis) {
    const auto at =
        static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(dims.size()) : axis);
    const std::span extents(dims);
    return {static_cast<std::size_t>(product(extents.first(at))),
            static_cast<std::size_t>(extents[at]),
            static_cast<std::size_t>(product(extents.subspan(at + 1)))};
}

Broadcast::Broadcast(const Dims& operand, const Dims& result) : identical_(operand == result) {
    std::size_t step = 1;
    for (std::size_t from_end = 1; from_end <= result.size(); ++from_end) {
        const std::int64_t own =
            from_end <= operand.size() ? operand[operand.size() - from_end] : 1;
        axes_.push_back({.extent = static_cast<std::size_t>(result[result.size() - from_end]),
                         .step = own == 1 ? 0 : step});
        step *= static_cast<std::size_t>(own);
    }
}

std::size_t Broadcast::operator()(std::size_t index) const {
    if (identical_) {
        return index;
    }
    std::size_t offset = 0;
    for (const Axis& axis : axes_) {
        offset += index % axis.extent * axis.step;
        index /= axis.extent;
    }
    return offset;
}

Strided::Strided(const Dims& result, std::size_t first, const Dims& steps) : first_(first) {
    for (std::size_t axis = result.size(); axis-- > 0;) {
        axes_.push_back({static_cast<std::size_t>(result[axis]), steps[axis]});
    }
}

std::size_t Strided::operator()(std::size_t index) const {
    auto offset = static_cast<std::int64_t>(first_);
    for (const Axis& axis : axes_) {
        offset += static_cast<std::int64_t>(index % axis.extent) * axis.step;
        index /= axis.extent;
    }
    return static_cast<std::size_t>(offset);
}

Dims row_major_steps(const Dims& dims) {
    Dims steps(dims.size(), 1);
    for (std::size_t axis = dims.size(); axis-- > 1;) {
        steps[axis - 1] = steps[axis] * dims[axis];
    }
    return steps;
}

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
