// SPDX-License-Identifier: MIT
#include "networks/onnx/node/attributes.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <fmt/format.h>

namespace strata {

namespace {

// Softmax, LogSoftmax or Hardmax along an axis. Before opset 13 they cover all axes from this one
// on, as if the tensor were a matrix.
Op along(const NodeImport& node, std::int64_t axis) {
    if (node.node().op_type == "Hardmax") {
        return Hardmax{.axis = axis};
    }
    return Softmax{.axis = axis, .logarithm = node.node().op_type == "LogSoftmax"};
}

void convert_flattened(const NodeImport& node, std::size_t axis) {
    const Dims dims = node.input(0).dims;
    const auto rest = std::span(dims).subspan(axis);
    const bool one_axis =
        !rest.empty() && std::ranges::all_of(rest.subspan(1), [](auto n) { return n == 1; });
    if (one_axis) {
        return node.result(along(node, static_cast<std::int64_t>(axis)), {node.operand(0)});
    }
    const Dims matrix = {product(std::span(dims).first(axis)), product(rest)};
    const TensorId flat = node.add("flat", Reshape{.dims = matrix}, {node.operand(0)});
    node.result(Reshape{.dims = dims}, {node.add("matrix", along(node, 1), {flat})});
}

void convert_along_axis(const NodeImport& node) {
    const std::int64_t rank = std::ssize(node.input(0).dims);
    const std::int64_t axis = node.integer("axis", node.opset() < 13 ? 1 : -1);
    if (node.opset() >= 13) {
        return node.result(along(node, axis), {node.operand(0)});
    }
    if (axis < -rank || axis > rank) {
        throw Unsupported{fmt::format("axis {} is not one of its {}", axis, rank)};
    }
    convert_flattened(node, static_cast<std::size_t>(axis < 0 ? axis + rank : axis));
}

constexpr auto lrn_attributes = [](auto& op, auto&& attribute) {
    attribute("size", op.size);
    attribute("alpha", op.alpha);
    attribute("beta", op.beta);
    attribute("bias", op.k);
};

void convert_lrn(const NodeImport& node) {
    const Lrn absent{.size = 1, .alpha = 1e-4, .beta = 0.75, .k = 1};
    node.result(with_attributes(node, absent, lrn_attributes), {node.operand(0)});
}

void write_lrn(const Lrn& op, LayerWriter& to) {
    to.last("LRN", to.inputs(), attributes_of(op, lrn_attributes));
}

void convert_dropout(const NodeImport& node) {
    if (node.has_input(2)) {
        node.number_of_input(2);  // the run sets training, data cannot
    }
    const double ratio = node.has_input(1) ? node.number_of_input(1) : node.number("ratio", 0.5);
    node.result(Dropout{.probability = ratio, .seed = node.integer("seed", 0)}, {node.operand(0)});
}

// Also SoftmaxCrossEntropyLoss, whose second result is the logarithms of the probabilities.
KnownResults loss(const NodeImport& node) {
    const bool each = node.text("reduction", "mean") == "none";
    const Tensor& scores = node.input(0);
    return {.outputs = {Tensor{each ? node.input(1).dims : Dims(), scores.dtype}, scores}};
}

void write_softmax(const Softmax& op, LayerWriter& to) {
    to.last(op.logarithm ? "LogSoftmax" : "Softmax", to.inputs(), {{"axis", op.axis}});
}

void write_hardmax(const Hardmax& op, LayerWriter& to) {
    to.last("Hardmax", to.inputs(), {{"axis", op.axis}});
}

void write_dropout(const Dropout& op, LayerWriter& to) {
    to.last("Dropout", {to.in(0), to.number(op.probability, DataType::f32)}, {{"seed", op.seed}});
}

// The mean of -log softmax(x) at the labels.
void write_cross_entropy(const SoftmaxCrossEntropy&, LayerWriter& to) {
    const std::string logarithms = to.step("LogSoftmax", {to.in(0)}, {{"axis", std::int64_t{1}}});
    const std::string column = to.step("Unsqueeze", {to.in(1), to.integers({1})});
    const std::string chosen =
        to.step("GatherElements", {logarithms, column}, {{"axis", std::int64_t{1}}});
    const std::string mean = to.step("ReduceMean", {chosen}, {{"keepdims", std::int64_t{0}}});
    to.last("Neg", {mean});
}

}  // namespace

OnnxRows softmax_rows() {
    static constexpr std::array rows = {
        OnnxRow("BiasDropout", Domain::microsoft).shaped(as_input),
        OnnxRow("BiasSoftmax", Domain::microsoft).shaped({"Softmax", {0}}),
        OnnxRow("Dropout")
            .in_floating(convert_dropout)
            .shaped({"Identity", {0}, 0, {}, DataType::boolean})
            .out<write_dropout>(),
        OnnxRow("Hardmax").in_floating(convert_along_axis).out<write_hardmax>(),
        OnnxRow("LRN").in_floating(convert_lrn).out<write_lrn>(),
        OnnxRow("LogSoftmax").in_floating(convert_along_axis).out<write_softmax>(),
        OnnxRow("NegativeLogLikelihoodLoss").shaped(loss),
        OnnxRow("QLinearSoftmax", Domain::microsoft).shaped({"Softmax", {0}, 0}),
        OnnxRow("Softmax").in_floating(convert_along_axis).out<write_softmax>(),
        OnnxRow("SoftmaxCrossEntropyLoss").shaped(loss).out<write_cross_entropy>(),
    };
    return rows;
}

}  // namespace strata
