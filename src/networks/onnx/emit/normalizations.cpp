// SPDX-License-Identifier: MIT
#include "networks/onnx/emit/emitters.h"

namespace strata {

namespace {

// (x - mean) / sqrt(variance + epsilon) * scale + shift, all broadcast.
void emit_per_activation(const BatchNormalization& op, LayerWriter& to) {
    const DataType dtype = to.input(0).dtype;
    const std::string rest = to.step("Sub", {to.in(0), to.in(3)});
    const std::string sum = to.step("Add", {to.in(4), to.number(op.epsilon, dtype)});
    const std::string normal = to.step("Div", {rest, to.step("Sqrt", {sum})});
    to.last("Add", {to.step("Mul", {normal, to.in(1)}), to.in(2)});
}

// x / sqrt(mean of squares + epsilon) * scale + shift.
void emit_root_mean_square(const LayerNormalization& op, LayerWriter& to, std::size_t axis) {
    Dims axes;
    for (std::size_t i = axis; i < to.input(0).dims.size(); ++i) {
        axes.push_back(static_cast<std::int64_t>(i));
    }
    const std::string squares = to.step("Mul", {to.in(0), to.in(0)});
    const std::string mean = to.step("ReduceMean", {squares, to.integers(axes)});
    const std::string sum = to.step("Add", {mean, to.number(op.epsilon, to.input(0).dtype)});
    const std::string root = to.step("Sqrt", {sum});
    std::vector<std::pair<const char*, std::string>> behind;
    std::size_t next = 1;
    if (op.scale) {
        behind.emplace_back("Mul", to.in(next++));
    }
    if (op.shift) {
        behind.emplace_back("Add", to.in(next));
    }
    if (behind.empty()) {
        to.last("Div", {to.in(0), root});
        return;
    }
    std::string y = to.step("Div", {to.in(0), root});
    for (std::size_t i = 0; i + 1 < behind.size(); ++i) {
        y = to.step(behind[i].first, {y, behind[i].second});
    }
    to.last(behind.back().first, {y, behind.back().second});
}

}  // namespace

void emit(const BatchNormalization& op, LayerWriter& to) {
    if (op.scope == NormalizationScope::per_activation) {
        emit_per_activation(op, to);
        return;
    }
    to.last("BatchNormalization", to.inputs(),
            {{"epsilon", op.epsilon}, {"momentum", op.momentum}});
}

void emit(const LayerNormalization& op, LayerWriter& to) {
    const Dims& dims = to.input(0).dims;
    const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + std::ssize(dims) : op.axis);
    if (op.kind == NormalizationKind::root_mean_square) {
        emit_root_mean_square(op, to, axis);
        return;
    }
    const Dims normalized(dims.begin() + static_cast<std::ptrdiff_t>(axis), dims.end());
    std::vector<std::string> inputs = {to.in(0)};
    inputs.push_back(op.scale ? to.in(1) : to.filled(normalized, 1));
    if (op.shift) {
        inputs.push_back(to.in(op.scale ? 2 : 1));
    }
    to.last("LayerNormalization", inputs, {{"axis", op.axis}, {"epsilon", op.epsilon}});
}

void emit(const GroupNormalization& op, LayerWriter& to) {
    const Dims channels = {to.input(0).dims.at(1)};
    std::vector<std::string> inputs = to.inputs();
    if (!op.affine) {
        inputs = {to.in(0), to.filled(channels, 1), to.filled(channels, 0)};
    }
    if (op.groups == 0) {
        to.last("InstanceNormalization", inputs, {{"epsilon", op.epsilon}});
        return;
    }
    to.last("GroupNormalization", inputs, {{"epsilon", op.epsilon}, {"num_groups", op.groups}});
}

void emit(const Lrn& op, LayerWriter& to) {
    to.last("LRN", to.inputs(),
            {{"size", op.size}, {"alpha", op.alpha}, {"beta", op.beta}, {"bias", op.k}});
}

void emit(const Softmax& op, LayerWriter& to) {
    to.last(op.logarithm ? "LogSoftmax" : "Softmax", to.inputs(), {{"axis", op.axis}});
}

void emit(const Hardmax& op, LayerWriter& to) {
    to.last("Hardmax", to.inputs(), {{"axis", op.axis}});
}

void emit(const Dropout& op, LayerWriter& to) {
    to.last("Dropout", {to.in(0), to.number(op.probability, DataType::f32)}, {{"seed", op.seed}});
}

// -mean of log softmax(x) at the labels.
void emit(const SoftmaxCrossEntropy&, LayerWriter& to) {
    const std::string logarithms = to.step("LogSoftmax", {to.in(0)}, {{"axis", std::int64_t{1}}});
    const std::string column = to.step("Unsqueeze", {to.in(1), to.integers({1})});
    const std::string chosen =
        to.step("GatherElements", {logarithms, column}, {{"axis", std::int64_t{1}}});
    const std::string mean = to.step("ReduceMean", {chosen}, {{"keepdims", std::int64_t{0}}});
    to.last("Neg", {mean});
}

}  // namespace strata
