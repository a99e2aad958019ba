// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"
#include "networks/onnx/operator/window.h"
#include "op/rules.h"

#include <fmt/format.h>

namespace strata {

namespace {

// PyTorch's default exporter gives a convolution without bias a computed bias of zeros.
bool is_made_up(const NodeImport& node, std::size_t i) {
    const Constant* known = node.constant(i);
    return known && !node.node().name_scopes.empty() && known->tensor.elements() > 1 &&
           is_uniform(*known) && number_at(*known, 0) == 0;
}

constexpr auto convolution_attributes = [](auto& op, auto&& attribute) {
    attribute("group", op.groups);
};

// The input, the weight, and the bias if there is one.
std::vector<TensorId> weighted_operands(const NodeImport& node, bool bias) {
    std::vector<TensorId> operands = {node.operand(0), node.operand(1, Role::parameter)};
    if (bias) {
        operands.push_back(node.operand(2, Role::parameter));
    }
    return operands;
}

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
    const Convolution convolution{.out_channels = weight.dims[0], .bias = bias};
    node.result(with_attributes(node, with_window(convolution, window), convolution_attributes),
                weighted_operands(node, bias));
}

void write_convolution(const Convolution& op, LayerWriter& to) {
    LayerWriter::Attributes attributes = window_attributes(op);
    convolution_attributes(op, WriteAttribute{attributes});
    to.last("Conv", to.inputs(), attributes);
}

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

// Pads that leave `wanted` of all positions that the kernel reaches; an odd pad is at the end only
// for SAME_UPPER.
void pad_to(OnnxWindow& window, const Dims& spatial, const Dims& output_pad, const Dims& wanted,
            bool odd_at_end) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::int64_t reach = window.dilation[i] * (window.kernel[i] - 1) + 1;
        const std::int64_t total =
            (spatial[i] - 1) * window.stride[i] + reach + output_pad[i] - wanted[i];
        unsupported_if(total < 0, "its output is larger than what the kernel reaches");
        window.pad_begin[i] = odd_at_end ? total / 2 : total - total / 2;
        window.pad_end[i] = total - window.pad_begin[i];
    }
}

void convert_transposed_convolution(const NodeImport& node) {
    const Dims& weight = node.input(1).dims;
    const Dims& input = node.input(0).dims;
    unsupported_if(weight.size() != input.size() || weight.size() < 3 || weight.size() > 5,
                   "its input and weight do not have the same one to three spatial axes");
    OnnxWindow window = window_of(node, Dims(weight.begin() + 2, weight.end()));
    TransposedConvolution convolution{
        .output_pad = list_of(node, "output_padding", window.kernel.size()),
        .bias = node.has_input(2)};
    convolution = with_attributes(node, convolution, convolution_attributes);
    convolution.out_channels = product(Dims{weight[1], convolution.groups});
    pad_to(window, Dims(input.begin() + 2, input.end()), convolution.output_pad,
           wanted_extents(node, window), node.text("auto_pad", "NOTSET") == "SAME_UPPER");
    node.result(with_window(convolution, window), weighted_operands(node, convolution.bias));
}

void write_transposed_convolution(const TransposedConvolution& op, LayerWriter& to) {
    LayerWriter::Attributes attributes = window_attributes(op);
    attributes.push_back({"output_padding", spelt_out(op.output_pad, op.kernel.size(), 0)});
    convolution_attributes(op, WriteAttribute{attributes});
    to.last("ConvTranspose", to.inputs(), attributes);
}

// Depthwise along the last axis; the state is the part of the input that the next call reads.
KnownResults causal_convolution_results(const NodeImport& node) {
    require_rank(node, 0, 3);
    require_rank(node, 1, 3);
    const Tensor x = node.input(0);
    const std::int64_t reach = node.input(1).dims[2];
    const double count = as_number(x.elements());
    return {.outputs = {x, Tensor{{x.dims[0], x.dims[1], reach - 1}, x.dtype}},
            .work = Operations{.multiply_adds = count * as_number(reach),
                               .bias_adds = node.has_input(2) ? count : 0},
            .weights = {1, 2}};
}

// Adds overlapping blocks of columns.
KnownResults columns_to_image(const NodeImport& node) {
    const Tensor& x = node.input(0);
    const Dims image = sane_extents(node.integers_of_input(1));
    const std::int64_t block = product(sane_extents(node.integers_of_input(2)));
    if (x.dims.size() != 3 || block < 1) {
        throw Unsupported{"its columns are " + to_text(x.dims)};
    }
    Dims dims = {x.dims[0], x.dims[1] / block};
    dims.insert(dims.end(), image.begin(), image.end());
    return counted_result({dims, x.dtype}, {.adds = count_of(x)});
}

}  // namespace

OnnxRows convolution_rows() {
    static constexpr std::array rows = {
        OnnxRow("CausalConvWithState", Domain::both).shaped(causal_convolution_results),
        OnnxRow("Col2Im").shaped(columns_to_image),
        OnnxRow("Conv").in_floating(convert_convolution).out<write_convolution>(),
        OnnxRow("ConvInteger").shaped({"Conv", {0, 1}, -1, DataType::s32}),
        OnnxRow("ConvTranspose")
            .in_floating(convert_transposed_convolution)
            .out<write_transposed_convolution>(),
        OnnxRow("DeformConv").shaped({"Conv", {0, 1, 3}}),
        OnnxRow("NhwcConv", Domain::microsoft).shaped({"Conv", {0, 1, 2}, 0}),
        OnnxRow("NhwcFusedConv", Domain::microsoft).shaped({"Conv", {0, 1, 2}, 0}),
        OnnxRow("QLinearConv", Domain::both).shaped({"Conv", {0, 3, 8}, 7}),
    };
    return rows;
}

}  // namespace strata
