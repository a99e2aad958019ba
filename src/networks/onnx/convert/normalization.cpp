// SPDX-License-Identifier: MIT
#include "networks/onnx/arrangement.h"
#include "networks/onnx/convert/composition.h"
#include "networks/onnx/convert/converters.h"

#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <numeric>

namespace strata {

namespace {

std::int64_t product_of(std::span<const std::int64_t> dims) {
    return product(dims);
}

// Softmax, LogSoftmax or Hardmax along an axis. Before opset 13 they cover all axes from theirs on,
// as if the tensor were a matrix.
using AlongAxis = std::function<Op(std::int64_t axis)>;

void convert_flattened(const NodeImport& node, std::size_t axis, const AlongAxis& along) {
    const Dims dims = node.input(0).dims;
    const auto rest = std::span(dims).subspan(axis);
    const bool one_axis =
        !rest.empty() && std::ranges::all_of(rest.subspan(1), [](auto n) { return n == 1; });
    if (one_axis) {
        node.result(along(static_cast<std::int64_t>(axis)), {node.operand(0)});
        return;
    }
    const Dims matrix = {product_of(std::span(dims).first(axis)), product_of(rest)};
    const TensorId flat = node.add("flat", Reshape{.dims = matrix}, {node.operand(0)});
    node.result(Reshape{.dims = dims}, {node.add("matrix", along(1), {flat})});
}

void convert_along_axis(const NodeImport& node, const AlongAxis& along) {
    const std::int64_t rank = std::ssize(node.input(0).dims);
    const std::int64_t axis = node.integer("axis", node.opset() < 13 ? 1 : -1);
    if (node.opset() >= 13) {
        node.result(along(axis), {node.operand(0)});
        return;
    }
    if (axis < -rank || axis > rank) {
        throw Unsupported{fmt::format("axis {} is not one of its {}", axis, rank)};
    }
    convert_flattened(node, static_cast<std::size_t>(axis < 0 ? axis + rank : axis), along);
}

// A weight standardised by its own mean and variance, channel by channel (Brock 2021): exporters
// write it as a batch normalisation in training mode.
void standardise_weight(const NodeImport& node) {
    const Dims dims = node.input(0).dims;
    if (dims.size() < 2) {
        throw Unsupported{"its input has no channels"};
    }
    Dims axes, channels(dims.size(), 1);
    channels[1] = dims[1];
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        axes.insert(axes.end(), axis == 1 ? 0 : 1, static_cast<std::int64_t>(axis));
    }
    Composition steps(node);
    const Reduction mean{.kind = ReductionKind::mean, .axes = axes};
    const TensorId x = node.operand(0);
    const TensorId rest = steps.elementwise(ElementwiseKind::subtract, x, steps.add(mean, {x}));
    const TensorId squares = steps.elementwise(ElementwiseKind::multiply, rest, rest);
    const TensorId variance = steps.elementwise(ElementwiseKind::add, steps.add(mean, {squares}),
                                                node.number("epsilon", 1e-5));
    const TensorId normal = steps.elementwise(ElementwiseKind::divide, rest,
                                              steps.unary(UnaryKind::square_root, variance));
    const auto by_channel = [&](std::size_t i) {
        return steps.reshape(node.operand(i, Role::parameter), channels);
    };
    const TensorId scaled = steps.elementwise(ElementwiseKind::multiply, normal, by_channel(1));
    node.result(Elementwise{ElementwiseKind::add}, {scaled, by_channel(2)});
}

// In training form, the file has the running statistics as results. Here a training step changes
// them in place, so readers of a result read the statistics themselves.
void give_running_statistics(const NodeImport& node) {
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        if (node.is_used(i)) {
            node.result_part(i, Identity{}, {node.operand(i + 2, Role::statistic)});
        }
    }
    for (const std::size_t i : {std::size_t{3}, std::size_t{4}}) {
        if (node.is_used(i)) {
            throw Unsupported{"the statistics of its batch are read"};
        }
    }
}

}  // namespace

void convert_batch_normalization(const NodeImport& node) {
    if (node.integer("training_mode", 0) != 0 && node.constant(0)) {
        standardise_weight(node);
        return;
    }
    const bool spatial = node.opset() >= 9 || node.integer("spatial", 1) != 0;
    const BatchNormalization normalization{
        .epsilon = node.number("epsilon", 1e-5),
        .momentum = node.number("momentum", 0.9),
        .scope = spatial ? NormalizationScope::spatial : NormalizationScope::per_activation};
    node.result(normalization, {node.operand(0), node.operand(1, Role::parameter),
                                node.operand(2, Role::parameter), node.operand(3, Role::statistic),
                                node.operand(4, Role::statistic)});
    give_running_statistics(node);
}

void convert_lrn(const NodeImport& node) {
    node.result(Lrn{.size = node.integer("size", 1),
                    .alpha = node.number("alpha", 1e-4),
                    .beta = node.number("beta", 0.75),
                    .k = node.number("bias", 1)},
                {node.operand(0)});
}

void convert_softmax(const NodeImport& node) {
    convert_along_axis(node, [](std::int64_t axis) { return Softmax{.axis = axis}; });
}

void convert_log_softmax(const NodeImport& node) {
    convert_along_axis(node,
                       [](std::int64_t axis) { return Softmax{.axis = axis, .logarithm = true}; });
}

void convert_hardmax(const NodeImport& node) {
    convert_along_axis(node, [](std::int64_t axis) { return Hardmax{.axis = axis}; });
}

void convert_dropout(const NodeImport& node) {
    if (node.has_input(2)) {
        node.number_of_input(2);  // training is set by the run, but not by data
    }
    const double ratio = node.has_input(1) ? node.number_of_input(1) : node.number("ratio", 0.5);
    node.result(Dropout{.probability = ratio, .seed = node.integer("seed", 0)}, {node.operand(0)});
}

namespace {

// Whether an operand has exactly the extents of input 0 from an axis on.
bool fills(const NodeImport& node, std::size_t i, std::size_t axis) {
    const Dims& dims = node.input(0).dims;
    return std::ranges::equal(node.input(i).dims, std::span(dims).subspan(axis));
}

// Scale and shift with other extents are broadcast by separate layers.
void finish_broadcast(const NodeImport& node, LayerNormalization normalization) {
    normalization.scale = normalization.shift = false;
    Composition steps(node);
    const TensorId normal = steps.add(normalization, {node.operand(0)});
    const TensorId scaled =
        steps.elementwise(ElementwiseKind::multiply, normal, node.operand(1, Role::parameter));
    if (!node.has_input(2)) {
        node.result(Identity{}, {scaled});
        return;
    }
    node.result(Elementwise{ElementwiseKind::add}, {scaled, node.operand(2, Role::parameter)});
}

void convert_by_layer(const NodeImport& node, NormalizationKind kind) {
    const std::size_t axis = axis_of(node.integer("axis", -1), node.input(0).dims.size());
    const LayerNormalization normalization{.axis = static_cast<std::int64_t>(axis),
                                           .epsilon = node.number("epsilon", 1e-5),
                                           .kind = kind,
                                           .scale = node.has_input(1),
                                           .shift = node.has_input(2)};
    std::vector<TensorId> operands = {node.operand(0)};
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        if (node.has_input(i) && !fills(node, i, axis)) {
            finish_broadcast(node, normalization);
            return;
        }
        if (node.has_input(i)) {
            operands.push_back(node.operand(i, Role::parameter));
        }
    }
    node.result(normalization, std::move(operands));
}

// One scale or shift per channel; before opset 21 the file has one per group.
TensorId by_channel(const NodeImport& node, std::size_t i, std::int64_t groups) {
    const std::int64_t channels = node.input(0).dims.at(1);
    if (node.input(i).dims != Dims{groups} || groups == channels) {
        return node.operand(i, Role::parameter);
    }
    const Constant& given = node.known(i);
    node.spend(channels);
    std::vector<double> values;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
        values.push_back(number_at(given, channel / (channels / groups)));
    }
    return node.operand(i, "channels", constant_of({{channels}, given.tensor.dtype}, values),
                        Role::parameter);
}

}  // namespace

void convert_layer_normalization(const NodeImport& node) {
    convert_by_layer(node, NormalizationKind::standard);
}

void convert_rms_normalization(const NodeImport& node) {
    convert_by_layer(node, NormalizationKind::root_mean_square);
}

void convert_group_normalization(const NodeImport& node) {
    const Dims& dims = node.input(0).dims;
    const std::int64_t groups = node.integer("num_groups", 1);
    if (dims.size() < 3 || groups < 1 || dims[1] % groups != 0 || dims[1] > max_folded_elements) {
        throw Unsupported{fmt::format("{} groups do not fit its input", groups)};
    }
    node.result(GroupNormalization{.groups = groups, .epsilon = node.number("epsilon", 1e-5)},
                {node.operand(0), by_channel(node, 1, groups), by_channel(node, 2, groups)});
}

void convert_instance_normalization(const NodeImport& node) {
    node.result(
        GroupNormalization{.groups = 0, .epsilon = node.number("epsilon", 1e-5)},
        {node.operand(0), node.operand(1, Role::parameter), node.operand(2, Role::parameter)});
}

}  // namespace strata
