// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"

#include <algorithm>
#include <vector>

namespace strata {

namespace {

// The convolution whose data gradient this layer is: its input is y, its result x, its weights the
// same.
struct Mirrored {
    Mirrored(const TransposedConvolution& op, const ReferenceOperands& operands)
        : convolution{.out_channels = operands.input_dims(0)[1],
                      .kernel = op.kernel,
                      .stride = op.stride,
                      .dilation = op.dilation,
                      .pad_begin = op.pad_begin,
                      .pad_end = op.pad_end,
                      .groups = op.groups,
                      .bias = false},
          signature{{{operands.signature.outputs[0]}, operands.signature.inputs[1]},
                    {operands.signature.inputs[0].tensor}} {}

    Convolution convolution;
    Signature signature;
};

// Elements of one channel of one image.
std::size_t plane_of(const Dims& dims) {
    return static_cast<std::size_t>(product(std::span(dims).subspan(2)));
}

void add_bias(std::span<const float> bias, const Dims& dims, std::span<float> y) {
    const std::size_t plane = plane_of(dims);
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += bias[i / plane % bias.size()];
    }
}

void bias_gradient(std::span<const float> dy, const Dims& dims, std::span<float> db) {
    const std::size_t plane = plane_of(dims);
    std::vector<double> sums(db.size());
    for (std::size_t i = 0; i < dy.size(); ++i) {
        sums[i / plane % sums.size()] += dy[i];
    }
    std::ranges::transform(sums, db.begin(), [](double sum) { return static_cast<float>(sum); });
}

}  // namespace

void reference_forward(const TransposedConvolution& op, const ReferenceOperands& operands) {
    const Mirrored mirrored(op, operands);
    reference_backward(mirrored.convolution, {.signature = mirrored.signature,
                                              .execution = operands.execution,
                                              .inputs = {{}, operands.inputs[1]},
                                              .outputs = {},
                                              .output_gradients = {operands.inputs[0]},
                                              .input_gradients = {operands.outputs[0], {}},
                                              .statistics = {}});
    if (op.bias) {
        add_bias(operands.inputs[2], operands.output_dims(0), operands.outputs[0]);
    }
}

void reference_backward(const TransposedConvolution& op, const ReferenceOperands& operands) {
    const Mirrored mirrored(op, operands);
    ReferenceOperands mirror = {.signature = mirrored.signature,
                                .execution = operands.execution,
                                .inputs = {operands.output_gradients[0], operands.inputs[1]},
                                .outputs = {},
                                .output_gradients = {operands.inputs[0]},
                                .input_gradients = {},
                                .statistics = {}};
    if (operands.wants_gradient(0)) {
        mirror.outputs = {operands.input_gradients[0]};
        reference_forward(mirrored.convolution, mirror);
    }
    if (operands.wants_gradient(1)) {
        mirror.input_gradients = {{}, operands.input_gradients[1]};
        reference_backward(mirrored.convolution, mirror);
    }
    if (op.bias && operands.wants_gradient(2)) {
        bias_gradient(operands.output_gradients[0], operands.output_dims(0),
                      operands.input_gradients[2]);
    }
}

}  // namespace strata
