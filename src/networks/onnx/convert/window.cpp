// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "networks/onnx/convert/composition.h"
#include "networks/onnx/convert/converters.h"
#include "networks/onnx/node_import.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// The window attributes common to Conv and the pools, expanded to one value per spatial axis.
struct OnnxWindow {
    Dims kernel;
    Dims stride;
    Dims dilation;
    Dims pad_begin;
    Dims pad_end;
};

constexpr std::int64_t max_extent = std::int64_t{1} << 30;

// A list attribute with one number for each of `count` places.
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

// `kernel` is the weight's kernel shape; a kernel_shape that contradicts it is an Error. auto_pad
// is resolved from the extents of input 0: SAME gives ceil(extent / stride) positions, with an odd
// pad at the end (UPPER) or the beginning (LOWER).
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

// PyTorch's default exporter gives a convolution without bias one of zeros, computed from nothing.
bool is_made_up(const NodeImport& node, std::size_t i) {
    const Constant* known = node.constant(i);
    return known && !node.node().name_scopes.empty() && known->tensor.elements() > 1 &&
           is_uniform(*known) && number_at(*known, 0) == 0;
}

}  // namespace

void convert_convolution(const NodeImport& node) {
    const Tensor& weight = node.input(1);
    if (weight.dims.size() != node.input(0).dims.size() || weight.dims.size() > 5) {
        throw Unsupported{"its input and weight " + to_text(weight.dims) +
                          " do not have the same number of one to three spatial axes"};
    }
    const Dims kernel(weight.dims.begin() + std::min<std::ptrdiff_t>(2, std::ssize(weight.dims)),
                      weight.dims.end());
    const OnnxWindow window = window_of(node, kernel);
    const bool bias = node.has_input(2) && !is_made_up(node, 2);
    Convolution convolution{.out_channels = weight.dims[0],
                            .kernel = window.kernel,
                            .stride = window.stride,
                            .dilation = window.dilation,
                            .pad_begin = window.pad_begin,
                            .pad_end = window.pad_end,
                            .groups = node.integer("group", 1),
                            .bias = bias};
    std::vector<TensorId> operands = {node.operand(0), node.operand(1, Role::parameter)};
    if (bias) {
        operands.push_back(node.operand(2, Role::parameter));
    }
    node.result(std::move(convolution), std::move(operands));
}

namespace {

Pooling pooling_of(const NodeImport& node, PoolingKind kind) {
    const OnnxWindow window = window_of(node, {});
    return {.kind = kind,
            .kernel = window.kernel,
            .stride = window.stride,
            .dilation = window.dilation,
            .pad_begin = window.pad_begin,
            .pad_end = window.pad_end,
            .ceil_mode = node.integer("ceil_mode", 0) != 0,
            .count_include_pad = node.integer("count_include_pad", 0) != 0,
            .global = false};
}

Pooling global(PoolingKind kind) {
    Pooling pooling;
    pooling.kind = kind;
    pooling.global = true;
    return pooling;
}

}  // namespace

void convert_max_pool(const NodeImport& node) {
    node.result(pooling_of(node, PoolingKind::max), {node.operand(0)});
}

void convert_average_pool(const NodeImport& node) {
    node.result(pooling_of(node, PoolingKind::average), {node.operand(0)});
}

void convert_global_max_pool(const NodeImport& node) {
    node.result(global(PoolingKind::max), {node.operand(0)});
}

void convert_global_average_pool(const NodeImport& node) {
    node.result(global(PoolingKind::average), {node.operand(0)});
}

// (sum of |x|^p in the window)^(1/p); the sum is the mean over the window, padding included, times
// its size.
void convert_lp_pool(const NodeImport& node) {
    Pooling pool = pooling_of(node, PoolingKind::average);
    if (pool.ceil_mode) {
        throw Unsupported{"windows beyond the padding are not supported"};
    }
    pool.count_include_pad = true;
    const double p = static_cast<double>(node.integer("p", 2));
    Composition steps(node);
    const TensorId size = steps.unary(UnaryKind::absolute, node.operand(0));
    const TensorId mean = steps.add(pool, {steps.elementwise(ElementwiseKind::power, size, p)});
    const TensorId sum = steps.elementwise(ElementwiseKind::multiply, mean,
                                           static_cast<double>(product(pool.kernel)));
    const TensorId exponent = steps.scalar(1 / p, node.input(0).dtype);
    node.result(Elementwise{ElementwiseKind::power}, {sum, exponent});
}

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
