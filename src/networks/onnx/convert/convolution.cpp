// SPDX-License-Identifier: MIT
#include "networks/onnx/convert/converters.h"
#include "networks/onnx/convert/window.h"

namespace strata {

namespace {

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

}  // namespace strata
