// SPDX-License-Identifier: MIT
#include "graph/onnx/convert/converters.h"

#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <numeric>

namespace strata {

namespace {

std::int64_t product_of(std::span<const std::int64_t> dims) {
    return product(dims);
}

// Before opset 13 a softmax runs over everything from its axis on, as if the tensor were a matrix.
void convert_flattened_softmax(const NodeImport& node, std::size_t axis, bool logarithm) {
    const Dims dims = node.input(0).dims;
    const auto rest = std::span(dims).subspan(axis);
    const bool one_axis =
        !rest.empty() && std::ranges::all_of(rest.subspan(1), [](auto n) { return n == 1; });
    if (one_axis) {
        node.result(Softmax{.axis = static_cast<std::int64_t>(axis), .logarithm = logarithm},
                    {node.operand(0)});
        return;
    }
    const Dims matrix = {product_of(std::span(dims).first(axis)), product_of(rest)};
    const TensorId flat = node.add("flat", Reshape{.dims = matrix}, {node.operand(0)});
    const TensorId soft = node.add("matrix", Softmax{.axis = 1, .logarithm = logarithm}, {flat});
    node.result(Reshape{.dims = dims}, {soft});
}

void convert_any_softmax(const NodeImport& node, bool logarithm) {
    const std::int64_t rank = std::ssize(node.input(0).dims);
    const std::int64_t axis = node.integer("axis", node.opset() < 13 ? 1 : -1);
    if (node.opset() >= 13) {
        node.result(Softmax{.axis = axis, .logarithm = logarithm}, {node.operand(0)});
        return;
    }
    if (axis < -rank || axis > rank) {
        throw Unsupported{fmt::format("axis {} is not one of its {}", axis, rank)};
    }
    convert_flattened_softmax(node, static_cast<std::size_t>(axis < 0 ? axis + rank : axis),
                              logarithm);
}

}  // namespace

void convert_batch_normalization(const NodeImport& node) {
    if (node.integer("training_mode", 0) != 0) {
        throw Unsupported{"training_mode is set; export the model for inference"};
    }
    const bool spatial = node.opset() >= 9 || node.integer("spatial", 1) != 0;
    const BatchNormalization normalization{
        .epsilon = node.number("epsilon", 1e-5),
        .momentum = node.number("momentum", 0.9),
        .scope = spatial ? NormalizationScope::spatial : NormalizationScope::per_activation};
    node.result(normalization, {node.operand(0), node.operand(1, Role::parameter),
                                node.operand(2, Role::parameter), node.operand(3, Role::statistic),
                                node.operand(4, Role::statistic)});
}

void convert_lrn(const NodeImport& node) {
    node.result(Lrn{.size = node.integer("size", 1),
                    .alpha = node.number("alpha", 1e-4),
                    .beta = node.number("beta", 0.75),
                    .k = node.number("bias", 1)},
                {node.operand(0)});
}

void convert_softmax(const NodeImport& node) {
    convert_any_softmax(node, false);
}

void convert_log_softmax(const NodeImport& node) {
    convert_any_softmax(node, true);
}

void convert_dropout(const NodeImport& node) {
    const double ratio = node.has_input(1) ? node.number_of_input(1) : node.number("ratio", 0.5);
    node.result(Dropout{.probability = ratio, .seed = node.integer("seed", 0)}, {node.operand(0)});
}

}  // namespace strata
