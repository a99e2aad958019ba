// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/window.h"

#include "base/error.h"

#include <fmt/format.h>

namespace strata {

namespace {

constexpr std::int64_t max_extent = std::int64_t{1} << 30;

// A list attribute with `count` numbers.
Dims list_of(const NodeImport& node, std::string_view name, std::size_t count,
             std::int64_t absent) {
    const Dims given = node.integers(name);
    if (given.empty()) {
        return Dims(count, absent);
    }
    if (given.size() != count) {
        throw Error(fmt::format("{} has {} numbers where the input's shape {} needs {}", name,
                                given.size(), to_text(node.input(0).dims), count));
    }
    const auto [minimum, maximum] = std::ranges::minmax(given);
    if (minimum < 0 || maximum > max_extent) {
        throw Error(fmt::format("{} {} is out of range; negative pads cannot be expressed", name,
                                to_text(given)));
    }
    return given;
}

// Pads that give ceil(extent / stride) positions.
void pad_same(OnnxWindow& window, std::span<const std::int64_t> spatial, bool odd_at_end) {
    for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
        const std::int64_t stride = std::max<std::int64_t>(window.stride[axis], 1);
        const std::int64_t extent = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
        const std::int64_t last = (spatial[axis] - 1) / stride * stride;
        const std::int64_t total = std::max<std::int64_t>(last + extent - spatial[axis], 0);
        const std::int64_t less = total / 2;
        window.pad_begin[axis] = odd_at_end ? less : total - less;
        window.pad_end[axis] = total - window.pad_begin[axis];
    }
}

}  // namespace

OnnxWindow window_of(const NodeImport& node, const Dims& kernel) {
    const Tensor& input = node.input(0);
    if (input.dims.size() < 3) {
        throw Error(fmt::format("its input {} has no spatial axis", to_text(input.dims)));
    }
    const auto spatial = std::span(input.dims).subspan(2);
    const std::size_t axes = spatial.size();
    OnnxWindow window{.kernel = list_of(node, "kernel_shape", axes, 0),
                      .stride = list_of(node, "strides", axes, 1),
                      .dilation = list_of(node, "dilations", axes, 1),
                      .pad_begin = Dims(axes, 0),
                      .pad_end = Dims(axes, 0)};
    if (!node.has_attribute("kernel_shape")) {
        window.kernel = kernel;
    }
    if (window.kernel.size() != axes || (!kernel.empty() && window.kernel != kernel)) {
        throw Error(fmt::format("kernel_shape {} does not fit the weight's {} on input {}",
                                to_text(window.kernel), to_text(kernel), to_text(input.dims)));
    }
    if (std::ranges::max(spatial) > max_extent || std::ranges::max(window.kernel) > max_extent) {
        throw Unsupported{fmt::format("a window {} over {} is out of range", to_text(window.kernel),
                                      to_text(input.dims))};
    }
    const std::string_view auto_pad = node.text("auto_pad", "NOTSET");
    if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
        pad_same(window, spatial, auto_pad == "SAME_UPPER");
    } else if (auto_pad == "NOTSET") {
        const Dims pads = list_of(node, "pads", 2 * axes, 0);
        const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(axes);
        window.pad_begin.assign(pads.begin(), middle);
        window.pad_end.assign(middle, pads.end());
    } else if (auto_pad != "VALID") {
        throw Unsupported{fmt::format("auto_pad '{}' is not supported", printable(auto_pad))};
    }
    return window;
}

}  // namespace strata
