// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/convert/converters.h"
#include "networks/onnx/convert/window.h"

#include <fmt/format.h>

namespace strata {

namespace {

constexpr std::int64_t max_attribute_value = std::int64_t{1} << 30;

// A list attribute with one number for each spatial axis.
Dims list_of(const NodeImport& node, std::string_view name, std::size_t count) {
    const Dims given = node.integers(name);
    if (given.empty()) {
        return Dims(count, 0);
    }
    if (given.size() != count) {
        throw Error(
            fmt::format("{} has {} numbers where {} are needed", name, given.size(), count));
    }
    for (const std::int64_t value : given) {
        if (value < 0 || value > max_attribute_value) {
            throw Unsupported{fmt::format("{} {} is out of range", name, to_text(given))};
        }
    }
    return given;
}

// The required extents of the result; none if the pads determine them.
Dims wanted_extents(const NodeImport& node, const OnnxWindow& window) {
    const std::size_t axes = window.kernel.size();
    Dims wanted = list_of(node, "output_shape", axes);
    if (node.has_attribute("output_shape")) {
        return wanted;
    }
    if (!node.text("auto_pad", "NOTSET").starts_with("SAME")) {
        return {};
    }
    for (std::size_t i = 0; i < axes; ++i) {
        wanted[i] = product(Dims{node.input(0).dims[i + 2], window.stride[i]});
    }
    return wanted;
}

// Pads that leave `wanted` of all the positions that the kernel reaches; an odd pad is at the end
// only for SAME_UPPER.
void pad_to(OnnxWindow& window, const Dims& spatial, const Dims& output_pad, const Dims& wanted,
            bool odd_at_end) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::int64_t reach = window.dilation[i] * (window.kernel[i] - 1) + 1;
        const std::int64_t total =
            (spatial[i] - 1) * window.stride[i] + reach + output_pad[i] - wanted[i];
        if (total < 0) {
            throw Unsupported{"its output is larger than what the kernel reaches"};
        }
        window.pad_begin[i] = odd_at_end ? total / 2 : total - total / 2;
        window.pad_end[i] = total - window.pad_begin[i];
    }
}

}  // namespace

void convert_transposed_convolution(const NodeImport& node) {
    const Dims& weight = node.input(1).dims;
    const Dims& input = node.input(0).dims;
    if (weight.size() != input.size() || weight.size() < 3 || weight.size() > 5) {
        throw Unsupported{"its input and weight do not have the same one to three spatial axes"};
    }
    OnnxWindow window = window_of(node, Dims(weight.begin() + 2, weight.end()));
    const std::int64_t groups = node.integer("group", 1);
    const Dims output_pad = list_of(node, "output_padding", window.kernel.size());
    pad_to(window, Dims(input.begin() + 2, input.end()), output_pad, wanted_extents(node, window),
           node.text("auto_pad", "NOTSET") == "SAME_UPPER");
    TransposedConvolution convolution{.out_channels = product(Dims{weight[1], groups}),
                                      .kernel = window.kernel,
                                      .stride = window.stride,
                                      .dilation = window.dilation,
                                      .pad_begin = window.pad_begin,
                                      .pad_end = window.pad_end,
                                      .output_pad = output_pad,
                                      .groups = groups,
                                      .bias = node.has_input(2)};
    std::vector<TensorId> operands = {node.operand(0), node.operand(1, Role::parameter)};
    if (convolution.bias) {
        operands.push_back(node.operand(2, Role::parameter));
    }
    node.result(std::move(convolution), std::move(operands));
}

}  // namespace strata
