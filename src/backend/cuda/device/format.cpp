// SPDX-License-Identifier: MIT
#include "backend/cuda/device/format.h"

#include "base/error.h"

#include <fmt/format.h>

namespace strata::cuda {

namespace {

constexpr std::size_t spatial_begin = 2;  // batch and channels come first

// Axes from innermost to outermost.
std::vector<std::size_t> inward_axes(std::size_t rank, Order order) {
    std::vector<std::size_t> axes;
    if (order == Order::channels_last && rank > spatial_begin) {
        axes.push_back(1);
    }
    for (std::size_t axis = rank; axis-- > 0;) {
        if (axes.empty() || axis != axes.front() || order == Order::rows) {
            axes.push_back(axis);
        }
    }
    return axes;
}

std::string_view axes_text(std::size_t rank, Order order) {
    constexpr std::array<std::array<std::string_view, 2>, 3> texts = {
        {{"ncw", "nwc"}, {"nchw", "nhwc"}, {"ncdhw", "ndhwc"}}};
    return texts.at(rank - 3)[order == Order::channels_last ? 1 : 0];
}

}  // namespace

std::size_t size_in_bytes(ElementType type) {
    return type == ElementType::f32 ? 4 : 2;
}

Dims strides_of(const Dims& dims, Order order) {
    Dims strides(dims.size(), 1);
    std::int64_t stride = 1;
    for (const std::size_t axis : inward_axes(dims.size(), order)) {
        strides[axis] = stride;
        stride *= dims[axis];
    }
    return strides;
}

bool has_channel_order(const Dims& dims) {
    if (dims.size() <= spatial_begin || dims[1] <= 1) {
        return false;
    }
    return product(std::span(dims).subspan(spatial_begin)) > 1;
}

std::string text_of(const Dims& dims, Format format) {
    const std::string_view type = names_of(format.type)[static_cast<std::size_t>(format.type)];
    const bool is_image = dims.size() >= 3 && dims.size() <= 5;
    return is_image ? fmt::format("{} {}", type, axes_text(dims.size(), format.order))
                    : fmt::format("{} {}", type, to_text(dims));
}

}  // namespace strata::cuda
