// SPDX-License-Identifier: MIT
#include "predict/layer_streams.h"

#include <algorithm>

namespace strata {

namespace {

constexpr std::int64_t longest_short_row = 1024;

RateClass rates_for(ActivationKind kind) {
    switch (kind) {
        case ActivationKind::relu:
        case ActivationKind::leaky_relu:
        case ActivationKind::clip:
        case ActivationKind::hard_sigmoid:
        case ActivationKind::thresholded_relu:
            return RateClass::relu;
        case ActivationKind::gelu:
        case ActivationKind::gelu_tanh:
        case ActivationKind::silu:
        case ActivationKind::hard_swish:
        case ActivationKind::mish:
            return RateClass::gelu;
        default:
            return RateClass::tanh;
    }
}

RateClass rates_for(ElementwiseKind kind) {
    switch (kind) {
        case ElementwiseKind::multiply:
            return RateClass::multiply;
        case ElementwiseKind::divide:
        case ElementwiseKind::remainder:
            return RateClass::divide;
        case ElementwiseKind::power:
            return RateClass::power;
        default:
            return RateClass::add;
    }
}

bool reads_statistics_first(const LayerTask& task) {
    return task.pass == Pass::forward && (std::holds_alternative<GroupNormalization>(task.op) ||
                                          (std::holds_alternative<BatchNormalization>(task.op) &&
                                           task.execution.numerics.mode == Mode::training));
}

}  // namespace

StreamKind rows_kind(RateClass of_short, RateClass of_long, std::int64_t elements,
                     std::int64_t columns) {
    const std::int64_t width = std::max<std::int64_t>(columns, 1);
    return {width <= longest_short_row ? of_short : of_long, elements / width, width};
}

StreamKind stream_kind(const Op& op, const Signature& signature) {
    const Dims& x = signature.inputs.front().tensor.dims;
    const std::int64_t elements = product(x);
    if (const auto* activation = std::get_if<Activation>(&op)) {
        return {rates_for(activation->kind)};
    }
    if (const auto* elementwise = std::get_if<Elementwise>(&op)) {
        return {rates_for(elementwise->kind)};
    }
    if (std::holds_alternative<Unary>(op)) {
        return {RateClass::tanh};
    }
    const auto axis_of = [&](std::int64_t axis) {
        return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(x.size())
                                                 : axis);
    };
    if (const auto* softmax = std::get_if<Softmax>(&op)) {
        return rows_kind(RateClass::short_softmax, RateClass::long_softmax, elements,
                         x[axis_of(softmax->axis)]);
    }
    if (std::holds_alternative<SoftmaxCrossEntropy>(op) && x.size() > 1) {
        return rows_kind(RateClass::short_softmax, RateClass::long_softmax, elements, x[1]);
    }
    if (const auto* layer = std::get_if<LayerNormalization>(&op)) {
        return rows_kind(RateClass::short_norm, RateClass::long_norm, elements,
                         product(std::span(x).subspan(axis_of(layer->axis))));
    }
    if (const auto* group = std::get_if<GroupNormalization>(&op)) {
        const std::int64_t groups = group->groups == 0 ? x[1] : group->groups;
        return rows_kind(RateClass::short_norm, RateClass::long_norm, elements,
                         elements / std::max<std::int64_t>(x[0] * groups, 1));
    }
    return {};
}

namespace {

// For each element of the input, a gradient of pooling reads the gradient of every window that
// holds it, and for a maximum also the value, to compare it with the input.
Bytes moved_by_pooling_gradient(const Pooling& op, const Signature& signature) {
    const Tensor& input = signature.inputs.front().tensor;
    const Tensor& result = signature.outputs.front();
    const double window = static_cast<double>(op.global ? product(std::span(input.dims).subspan(2))
                                                        : product(op.kernel));
    const Bytes of_windows = window * result.bytes();
    const bool is_maximum = op.kind == PoolingKind::max;
    return input.bytes() + of_windows + (is_maximum ? input.bytes() + of_windows : Bytes{});
}

}  // namespace

Bytes stream_traffic(const LayerTask& task) {
    const auto* const pooling = std::get_if<Pooling>(&task.op);
    if (pooling != nullptr && task.pass == Pass::backward_data) {
        return moved_by_pooling_gradient(*pooling, task.signature);
    }
    const Work work =
        work_of(task.op, task.signature, task.pass, cost_of(task.execution.numerics.optimizer));
    const bool reads_twice = reads_statistics_first(task);
    return work.traffic() + (reads_twice ? task.signature.inputs.front().tensor.bytes() : Bytes{});
}

bool adds_bias(const Op& op) {
    const auto* fully_connected = std::get_if<FullyConnected>(&op);
    const auto* convolution = std::get_if<Convolution>(&op);
    const auto* transposed = std::get_if<TransposedConvolution>(&op);
    return (fully_connected != nullptr && fully_connected->bias) ||
           (convolution != nullptr && convolution->bias) ||
           (transposed != nullptr && transposed->bias);
}

}  // namespace strata
